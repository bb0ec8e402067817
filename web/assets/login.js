// login.js - the token that reading needs where dslatd wants one: shown once,
// then a cookie stands for it that no script can read.

import { apiUrl, problemText } from "./api.js";
import { byId, setText } from "./dom.js";

/**
 * @typedef {object} Who
 * @property {string | null} name of the token
 * @property {"read" | "write" | null} role
 * @property {boolean} anonymous_read
 */

export class Login {
	/** @param {() => void} done logged in */
	constructor(done) {
		this.done = done;
		/** @type {Who | null} */
		this.who = null;
		this.form = /** @type {HTMLFormElement} */ (byId("login"));
		this.token = /** @type {HTMLInputElement} */ (byId("token"));
		this.button = /** @type {HTMLButtonElement} */
		    (byId("login-button"));
		this.form.addEventListener("submit", (ev) => {
			ev.preventDefault();
			this.submit();
		});
		byId("logout").addEventListener("click", () => this.end());
		byId("login-clear").hidden = location.protocol === "https:" ||
		    /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
	}

	/** Reading was refused: instead of the page, the form. */
	ask() {
		if (!this.form.hidden)
			return;
		this.show(true);
		this.token.focus();
	}

	/** @param {boolean} on */
	show(on) {
		this.form.hidden = !on;
		document.body.classList.toggle("denied", on);
	}

	/** Say who is logged in, if somebody is. */
	async greet() {
		const r = await fetch(apiUrl("session"), { cache: "no-store" });
		if (!r.ok)
			return;
		/** @type {Who} */
		const who = await r.json();
		this.who = who;
		setText(byId("who"), who.name ? `token ${who.name}` : "");
		byId("logout").hidden = who.name === null;
		byId("login-open").hidden = who.name !== null;
	}

	async submit() {
		setText(byId("login-error"), "");
		this.button.disabled = true;
		try {
			const r = await fetch(apiUrl("session"), {
				method: "POST",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify({
				    token: this.token.value.trim() }),
			});
			if (!r.ok)
				throw new Error(await problemText(r));
			this.token.value = "";
			this.show(false);
			this.done();
		} catch (e) {
			setText(byId("login-error"), e instanceof TypeError
			    ? "dslatd does not answer." : e instanceof Error
			    ? e.message : String(e));
			this.token.focus();
		} finally {
			this.button.disabled = false;
		}
	}

	async end() {
		const r = await fetch(apiUrl("session"), { method: "DELETE" });
		if (r.ok)
			location.reload(); // nothing of what was seen stays
	}
}
