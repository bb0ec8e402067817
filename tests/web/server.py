"""server.py - starts tests/web/serve and talks to it.

Every answer that Server.api() fetches is held against openapi.json.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import unittest
import urllib.parse

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing")
    sys.exit(77)

T0 = 1796040000  # the server's clock at its start: the end of slot 179
PROGRAM = os.path.join(os.environ.get("top_builddir", "."),
                       "tests", "web", "serve")
OPENAPI = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "..", "..", "web", "openapi.json")

formats = jsonschema.FormatChecker(formats=())


@formats.checks("date-time")
def is_date_time(value):
    return not isinstance(value, str) or re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value) is not None


class Description:
    """openapi.json, as something to hold answers against."""

    def __init__(self):
        with open(OPENAPI, encoding="utf-8") as f:
            self.doc = json.load(f)
        text = json.dumps(self.doc["components"]["schemas"])
        self.defs = json.loads(text.replace("#/components/schemas/",
                                            "#/$defs/"))

    def validate(self, schema, value):
        text = json.dumps(schema).replace("#/components/schemas/", "#/$defs/")
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema",
                 "$defs": self.defs, "allOf": [json.loads(text)]}
        jsonschema.Draft202012Validator(
            whole, format_checker=formats).validate(value)

    def template(self, path):
        """The path of the document that a request's path is an instance of."""
        for t in self.doc["paths"]:
            pattern = re.escape(t).replace(r"\{id\}", "[^/]+")
            if re.fullmatch(pattern, path):
                return t
        return None

    def check(self, path, answer, method="get"):
        template = self.template(path)
        if template is None:
            assert answer.status == 404, path
            schema = {"$ref": "#/components/schemas/problem"}
            kind = "application/problem+json"
        else:
            responses = self.doc["paths"][template][method]["responses"]
            assert str(answer.status) in responses, \
                f"{path}: {answer.status} is not described"
            r = responses[str(answer.status)]
            if "$ref" in r:
                r = self.doc["components"]["responses"][
                    r["$ref"].rsplit("/", 1)[1]]
            kind = answer.headers["Content-Type"].split(";")[0]
            assert kind in r["content"], f"{path}: {kind} is not described"
            schema = r["content"][kind]["schema"]
        if kind == "application/json" or kind.endswith("+json"):
            self.validate(schema, answer.json())


class Answer:
    def __init__(self, r):
        self.status = r.status
        self.headers = r.headers
        self.body = r.read()

    def json(self):
        return json.loads(self.body)


class Server:
    def __init__(self, *args, stderr=None):
        self.process = subprocess.Popen(
            [PROGRAM, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=stderr)
        self.addresses = []
        for line in self.process.stdout:
            word = line.decode().strip()
            if word == "ready":
                break
            self.addresses.append(word)
        else:
            raise RuntimeError("serve does not start")
        self.described = Description()
        for a in self.addresses:
            if a.startswith("http://127."):
                self.port = urllib.parse.urlsplit(a).port

    def stop(self):
        """SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        rc = self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()
        return rc

    def cmd(self, text):
        """Run a command of serve.c; its output, the "ok" apart."""
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline().decode().strip()
            if line == "ok":
                break
            assert line and line != "unknown command", line
            lines.append(line)
        if text.startswith(("advance", "poll")):
            # a turn with the new time: what connects now is not old at once
            self.cmd("stats")
        return lines

    def get(self, target, headers=None, method="GET", body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            c.request(method, target, body=body, headers=headers or {})
            return Answer(c.getresponse())
        finally:
            c.close()

    def api(self, target, status=200):
        a = self.get(target)
        assert a.status == status, f"{target}: {a.status} {a.body[:500]}"
        self.described.check(target.split("?")[0], a)
        return a.json()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)


class Case(unittest.TestCase):
    """Tests that share one server per class."""

    args = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.args, "127.0.0.1:0")
        cls.get = cls.server.get
        cls.api = cls.server.api

    @classmethod
    def tearDownClass(cls):
        rc = cls.server.stop()
        assert rc == 0, f"serve ended with {rc}"


def quote(text):
    return urllib.parse.quote(text, safe="")
