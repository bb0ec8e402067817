// rights.js - writing takes a token with the role write: who has shown one
// writes, who has not is asked for it and told how to get one.

import { askJson } from "./api.js";
import { byId, h, nameOf } from "./dom.js";

const HOW = "dslat token new NAME --role write --file FILE";

export class Rights {
	/**
	 * @param {import("./login.js").Login} login
	 * @param {import("./formdialog.js").FormDialog} forms
	 * @param {() => void} changed
	 */
	constructor(login, forms, changed) {
		this.login = login;
		this.forms = forms;
		this.changed = changed;
		byId("login-open").addEventListener("click", () => this.ask());
	}

	get canWrite() {
		return this.login.who?.role === "write";
	}

	/**
	 * Do it, or ask for the token that it takes and do it then.
	 * @param {() => void} action
	 */
	need(action) {
		if (this.canWrite)
			action();
		else
			this.ask(action);
	}

	/** @param {() => void} [then] once there is a right to write */
	ask(then) {
		const name = this.login.who?.name;
		const why = name
		    ? ["The token ", nameOf(name), " may only read; writing " +
			"takes one with the role write."]
		    : ["Acknowledging, notes and silences take a token with " +
			"the role write."];
		this.forms.open({
			title: "Log in to write",
			intro: [...why, " None yet? On the machine of dslatd: ",
			    h("code", {}, HOW), ", with FILE named as ",
			    h("code", {}, "web.tokens_file"),
			    " in dslatd.yaml. ",
			    byId("login-clear").hidden ? ""
				: byId("login-clear").textContent ?? ""],
			fields: [{ name: "token", label: "Token",
			    kind: "password", required: true, max: 256 }],
			action: "Log in",
			send: async ({ token }) => {
				const wrong = await this.send("POST", "session",
				    { token });
				if (wrong !== "")
					return wrong;
				await this.login.greet();
				this.changed();
				if (!this.canWrite)
					return "This token may only read; it " +
					    "takes one with the role write.";
				if (then)
					setTimeout(then);
				return "";
			},
		});
	}

	/**
	 * @param {string} method
	 * @param {string} path
	 * @param {object} [body]
	 * @returns {Promise<string>} what went wrong, or ""
	 */
	async send(method, path, body) {
		try {
			await askJson(method, path, body);
			return "";
		} catch (e) {
			if (path !== "session") // it may have ended meanwhile
				this.login.greet().then(this.changed, () => {});
			return e instanceof TypeError ? "dslatd does not answer."
			    : e instanceof Error ? e.message : String(e);
		}
	}
}
