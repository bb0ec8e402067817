// procs.mjs - the programs under test, on ports the kernel picks.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync, rmSync } from "node:fs";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** End what is left, however the test ends. */
export function killAll() {
	for (const p of running)
		p.kill("SIGKILL");
}
process.on("exit", killAll);

/**
 * Start a program and wait for the line that matches.
 * @param {string[]} argv
 * @param {RegExp} ready its first group is the result
 */
export function start(argv, ready) {
	const child = spawn(argv[0], argv.slice(1),
	    { stdio: ["ignore", "pipe", "pipe"] });
	running.add(child);
	const p = { child, log: "", ready: "", ended: new Promise((done) =>
	    child.on("exit", (code, signal) => {
		running.delete(child);
		done(code ?? signal);
	    })) };
	return new Promise((done, fail) => {
		const timer = setTimeout(() => fail(new Error(
		    `${argv[0]} did not get ready:\n${p.log}`)), 15000);
		const hear = (/** @type {Buffer} */ bytes) => {
			p.log += bytes;
			const m = ready.exec(p.log);
			if (m && !p.ready) {
				clearTimeout(timer);
				p.ready = m[1];
				done(p);
			}
		};
		child.stdout.on("data", hear);
		child.stderr.on("data", hear);
		child.on("error", fail);
		child.on("exit", (code) => fail(new Error(
		    `${argv[0]} ended (${code}):\n${p.log}`)));
	});
}

export class Sim {
	/** @param {string[]} args behind the program's name */
	static async start(program, args) {
		const s = new Sim();
		s.process = await start([program, ...args],
		    /listening on (http\S+)\/sdk/);
		s.url = s.process.ready;
		return s;
	}

	/**
	 * @param {string} call "event?kind=latency&..."
	 * @returns {Promise<string>}
	 */
	async post(call) {
		const r = await fetch(`${this.url}/sim/${call}`,
		    { method: "POST" });
		const text = await r.text();
		if (!r.ok)
			throw new Error(`${call}: ${r.status} ${text}`);
		return text;
	}
}

export class Daemon {
	/**
	 * @param {string} program
	 * @param {string} dir of its own
	 * @param {{name: string, url: string, password: string}[]} targets
	 * @param {string[]} [more] lines of its configuration
	 */
	constructor(program, dir, targets, more = []) {
		this.program = program;
		this.more = more;
		this.dir = dir;
		this.targets = targets;
		this.port = 0;
		// no history of an earlier run
		rmSync(dir + "/state", { recursive: true, force: true });
		mkdirSync(dir, { recursive: true });
	}

	async start() {
		const file = `${this.dir}/dslatd.yaml`;
		const lines = [`listen: 127.0.0.1:${this.port}`,
		    `state_dir: ${this.dir}/state`, "targets:"];
		for (const t of this.targets) {
			const secret = `${this.dir}/${t.name}.password`;
			writeFileSync(secret, t.password + "\n", { mode: 0o600 });
			lines.push(`  - name: ${t.name}`,
			    `    url: ${t.url}/sdk`,
			    "    username: monitor@vsphere.local",
			    `    password_file: ${secret}`);
		}
		writeFileSync(file, [...lines, ...this.more].join("\n") + "\n");
		this.process = await start([this.program, "-f", "-c", file],
		    /(http:\/\/127\.0\.0\.1:\d+)\//);
		this.url = this.process.ready;
		this.port = Number(new URL(this.url).port);
	}

	async stop() {
		this.process.child.kill("SIGTERM");
		return this.process.ended;
	}

	/** @param {string} path */
	async get(path) {
		const r = await fetch(`${this.url}/api/v1/${path}`);
		if (!r.ok)
			throw new Error(`${path}: ${r.status} ${await r.text()}`);
		return r.json();
	}
}

/**
 * Until it is true, or an error after the time.
 * @template T
 * @param {string} what
 * @param {() => Promise<T> | T} test
 * @param {number} ms
 * @returns {Promise<T>}
 */
export async function until(what, test, ms) {
	const end = Date.now() + ms;
	let last;
	for (;;) {
		try {
			last = await test();
			if (last)
				return last;
		} catch (e) {
			last = e;
		}
		if (Date.now() > end)
			throw new Error(`not within ${ms / 1000} s: ${what}` +
			    (last ? ` (${last})` : ""));
		await new Promise((r) => setTimeout(r, 200));
	}
}
