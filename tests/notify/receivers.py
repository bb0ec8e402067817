"""Receivers of notifications: Debian's own, and small ones that keep what came.

Everything listens on the loopback device and keeps its files in the folder
given; stop() ends it.
"""
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import logging
import os
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
import warnings

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # of refused logins
warnings.filterwarnings("ignore", module="aiosmtpd")


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, seconds=15):
    """The last value of what(), as soon as it is true."""
    until = time.monotonic() + seconds
    value = None
    while time.monotonic() < until:
        try:
            value = what()
            if value:
                return value
        except OSError:
            pass
        time.sleep(0.05)
    return value


def start(args, **more):
    """A program that ends with this one, whatever ends this one."""
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--"] + args,
                            **more)


class Hook:
    """A web server that keeps bodies; status and headers are what it says."""

    def __init__(self, port=0, secret=None):
        self.posts = []
        self.status = 200
        self.headers = {}
        self.secret = secret
        self.forged = 0
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if hook.status == 200:
                    hook.check(self.headers, body)
                    hook.posts.append(json.loads(body))
                self.send_response(hook.status)
                for name, value in hook.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever,
                         kwargs={"poll_interval": 0.02}, daemon=True).start()

    def check(self, headers, body):
        if self.secret is not None:
            mac = hmac.new(self.secret, body, hashlib.sha256).hexdigest()
            if headers.get("X-Dslat-Signature") != "sha256=" + mac:
                self.forged += 1

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def make_certificate(folder):
    cert = os.path.join(folder, "cert.pem")
    key = os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", cert, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True)
    return cert, key


class Mail:
    """aiosmtpd; with a certificate it demands STARTTLS and a login."""

    def __init__(self, cert=None, key=None, user=None, password=None):
        self.mails = []
        self.tls_seen = []
        extra = {}
        if cert is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(cert, key)
            extra = {"tls_context": context, "require_starttls": True,
                     "auth_required": True,
                     "authenticator": self.authenticate}
        self.user, self.password = user, password
        self.controller = Controller(self, hostname="127.0.0.1",
                                     port=free_port(), **extra)
        self.controller.start()
        self.port = self.controller.port

    def authenticate(self, server, session, envelope, mechanism, data):
        good = (data.login == self.user.encode() and
                data.password == self.password.encode())
        return AuthResult(success=good, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.tls_seen.append(session.ssl is not None)
        self.mails.append((envelope, email.message_from_bytes(
            envelope.content, policy=email.policy.default)))
        return "250 OK"

    def stop(self):
        self.controller.stop()


class Syslog:
    """rsyslogd with sockets and files of its own; each message is a line of
    JSON."""

    def __init__(self, folder):
        self.file = os.path.join(folder, "syslog.json")
        self.socket = os.path.join(folder, "log.sock")
        self.udp = free_port(socket.SOCK_DGRAM)
        self.tcp = free_port()
        fields = ["pri", "hostname", "app-name", "procid", "msgid", "msg",
                  "structured-data", "timereported", "protocol-version"]
        template = "".join(
            'property(outname="%s" name="%s"%s format="jsonf") '
            'constant(value=",") ' %
            (f, f, ' dateFormat="rfc3339"' if f == "timereported" else "")
            for f in fields)
        conf = os.path.join(folder, "rsyslog.conf")
        with open(conf, "w") as out:
            out.write('global(workDirectory="%s" maxMessageSize="64k")\n'
                      'module(load="imudp")\nmodule(load="imtcp")\n'
                      'module(load="imuxsock" SysSock.Use="off")\n'
                      'input(type="imudp" address="127.0.0.1" port="%d")\n'
                      'input(type="imtcp" address="127.0.0.1" port="%d")\n'
                      'input(type="imuxsock" Socket="%s" '
                      'useSpecialParser="off" UseSysTimeStamp="off")\n'
                      'template(name="j" type="list") { constant(value="{") '
                      '%s constant(value="\\"end\\":0}\\n") }\n'
                      'action(type="omfile" file="%s" template="j")\n' %
                      (folder, self.udp, self.tcp, self.socket, template,
                       self.file))
        self.process = start(
            ["rsyslogd", "-n", "-f", conf, "-i",
             os.path.join(folder, "rsyslog.pid")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(self.socket))

    def messages(self):
        if not os.path.exists(self.file):
            return []
        with open(self.file) as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Alertmanager:
    """Debian's; what it tells goes to a Hook."""

    def __init__(self, folder, hook_port):
        self.url = "http://127.0.0.1:%d" % free_port()
        conf = os.path.join(folder, "alertmanager.yml")
        with open(conf, "w") as out:
            out.write("route: { receiver: hook, group_by: [alertname, "
                      "datastore], group_wait: 100ms, group_interval: 1s, "
                      "repeat_interval: 1h }\n"
                      "receivers: [ { name: hook, webhook_configs: [ { url: "
                      '"http://127.0.0.1:%d/", send_resolved: true } ] } ]\n'
                      % hook_port)
        log = open(os.path.join(folder, "alertmanager.log"), "w")
        self.process = start(
            ["prometheus-alertmanager", "--config.file=" + conf,
             "--storage.path=" + os.path.join(folder, "am"),
             "--web.listen-address=" + self.url[7:],
             "--cluster.listen-address="], stdout=log, stderr=log)
        wait_for(self.ready)

    def ready(self):
        with urllib.request.urlopen(self.url + "/-/ready", timeout=5) as r:
            return r.status == 200

    def alerts(self):
        with urllib.request.urlopen(self.url + "/api/v2/alerts",
                                    timeout=5) as r:
            return json.load(r)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
