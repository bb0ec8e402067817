// live.js - how the page stays live: server-sent events, polling where they
// do not get through, and patience when dslatd is away.

import { HttpError, apiUrl } from "./api.js";

/** @typedef {"connecting" | "stream" | "poll" | "down" | "denied"} Mode */

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30000;
const OPEN_MS = 8000;   // a stream that has not opened by then does not
const QUIET_MS = 50000; // two slots without an event: ask whether it lives
const POLL_MS = 10000;
const STREAM_AGAIN_MS = 60000; // while polling, try the stream again

/**
 * @typedef {object} LiveHooks
 * @property {(data: any) => void} sample
 * @property {(data: any) => void} incident
 * @property {() => void} status something other than samples changed
 * @property {() => Promise<void>} refill after a (re)connection or a reset:
 *   fetch everything anew; rejects when dslatd does not answer
 * @property {() => Promise<void>} poll fetch the newest; rejects likewise
 * @property {() => void} denied dslatd wants a token first; start() again then
 * @property {() => void} changed mode or retryAt changed
 */

export class Live {
	/** @param {LiveHooks} hooks */
	constructor(hooks) {
		this.hooks = hooks;
		/** @type {Mode} */
		this.mode = "connecting";
		/** @type {string | null} why dslatd is away */
		this.error = null;
		/** @type {number | null} when the next try comes */
		this.retryAt = null;
		this.failures = 0;
		this.generation = 0; // answers to an older one are ignored
		/** @type {EventSource | null} */
		this.source = null;
		/** @type {Set<ReturnType<typeof setTimeout>>} */
		this.timers = new Set();
		this.lastEvent = 0;
	}

	/** Begin, or begin again at once. */
	async start() {
		const gen = this.stop();
		try {
			await this.hooks.refill();
		} catch (e) {
			if (gen === this.generation)
				this.fail(e);
			return;
		}
		if (gen !== this.generation)
			return;
		this.failures = 0;
		this.error = null;
		this.retryAt = null;
		if ("EventSource" in window)
			this.openStream(gen);
		else
			this.startPolling(gen);
	}

	/** @returns {number} the new generation */
	stop() {
		for (const t of this.timers)
			clearTimeout(t);
		this.timers.clear();
		this.source?.close();
		this.source = null;
		return ++this.generation;
	}

	/**
	 * @param {() => void} fn
	 * @param {number} ms
	 */
	later(fn, ms) {
		const t = setTimeout(() => {
			this.timers.delete(t);
			fn();
		}, ms);
		this.timers.add(t);
		return t;
	}

	/** @param {Mode} mode */
	setMode(mode) {
		this.mode = mode;
		this.hooks.changed();
	}

	/** @param {unknown} e */
	fail(e) {
		this.stop();
		if (e instanceof HttpError && e.status === 401) {
			this.retryAt = null;
			this.setMode("denied");
			this.hooks.denied();
			return;
		}
		this.error = e instanceof DOMException && e.name === "AbortError"
		    ? "no answer in time"
		    : e instanceof TypeError ? "no connection"
		    : e instanceof Error ? e.message : String(e);
		const wait = Math.min(LAST_RETRY_MS,
		    FIRST_RETRY_MS * 2 ** this.failures++) *
		    (0.8 + Math.random() * 0.4);
		this.retryAt = Date.now() + wait;
		this.later(() => this.start(), wait);
		this.setMode("down");
	}

	/** @param {number} gen */
	openStream(gen) {
		const es = new EventSource(apiUrl("stream"));
		this.source = es;
		let opened = false;
		const giveUp = this.later(() => {
			es.close();
			this.startPolling(gen);
		}, OPEN_MS);
		const mine = () => gen === this.generation;
		es.onopen = () => {
			if (!mine())
				return;
			opened = true;
			clearTimeout(giveUp);
			this.lastEvent = Date.now();
			this.setMode("stream");
			this.watch(gen);
		};
		es.onerror = () => {
			if (!mine())
				return;
			// The browser would try again every few seconds and
			// never say so: take over.
			es.close();
			clearTimeout(giveUp);
			if (opened)
				this.start();
			else
				this.startPolling(gen);
		};
		es.addEventListener("sample", (ev) => {
			if (!mine())
				return;
			this.lastEvent = Date.now();
			this.hooks.sample(JSON.parse(ev.data));
		});
		es.addEventListener("incident", (ev) => {
			if (!mine())
				return;
			this.lastEvent = Date.now();
			this.hooks.incident(JSON.parse(ev.data));
		});
		es.addEventListener("status", () => {
			if (!mine())
				return;
			this.lastEvent = Date.now();
			this.hooks.status();
		});
		es.addEventListener("reset", () => {
			if (mine())
				this.start();
		});
	}

	/**
	 * Comments of the heartbeat are invisible here, so a quiet stream is
	 * checked by asking.
	 * @param {number} gen
	 */
	watch(gen) {
		this.later(async () => {
			if (Date.now() - this.lastEvent > QUIET_MS) {
				try {
					await this.hooks.poll();
				} catch (e) {
					if (gen === this.generation)
						this.fail(e);
					return;
				}
			}
			if (gen === this.generation)
				this.watch(gen);
		}, QUIET_MS / 2);
	}

	/** @param {number} gen */
	startPolling(gen) {
		if (gen !== this.generation)
			return;
		this.source = null;
		const since = Date.now();
		this.setMode("poll");
		const turn = async () => {
			try {
				await this.hooks.poll();
			} catch (e) {
				if (gen === this.generation)
					this.fail(e);
				return;
			}
			if (gen !== this.generation)
				return;
			if ("EventSource" in window &&
			    Date.now() - since > STREAM_AGAIN_MS)
				this.start();
			else
				this.later(turn, POLL_MS);
		};
		this.later(turn, POLL_MS);
	}
}
