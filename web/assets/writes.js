// writes.js - what people add: acknowledgements, notes, silences.

import { literal, subject } from "./incidentwords.js";
import { toNodes } from "./words.js";

/** @typedef {import("./types.d.ts").Incident} Incident */

const MAX_TEXT = 1000;

/** @type {[string, string][]} */
const LENGTHS = [["1h", "1 hour"], ["4h", "4 hours"], ["8h", "8 hours"],
	["1d", "1 day"], ["7d", "7 days"], ["30d", "30 days"]];

export class Writes {
	/**
	 * @param {import("./rights.js").Rights} rights
	 * @param {import("./formdialog.js").FormDialog} forms
	 * @param {() => void} wrote something; lists are worth another look
	 */
	constructor(rights, forms, wrote) {
		this.rights = rights;
		this.forms = forms;
		this.wrote = wrote;
	}

	/**
	 * @param {import("./formdialog.js").FormSpec} spec
	 */
	open(spec) {
		this.rights.need(() => this.forms.open(spec));
	}

	/**
	 * @param {string} method
	 * @param {string} path
	 * @param {object} [body]
	 */
	async send(method, path, body) {
		const wrong = await this.rights.send(method, path, body);
		if (wrong === "")
			this.wrote();
		return wrong;
	}

	/** @param {Incident} i */
	acknowledge(i) {
		this.open({
			title: "Acknowledge",
			intro: [...toNodes(subject(i)), ". Others see that you " +
			    "look after it."],
			fields: [{ name: "note", label: "Note (optional)",
			    kind: "area", max: MAX_TEXT }],
			action: "Acknowledge",
			send: ({ note }) => this.send("POST",
			    `incidents/${i.id}/ack`, note ? { note } : {}),
		});
	}

	/** @param {Incident | null} i what it is about; null: everything */
	note(i) {
		this.open({
			title: "Add a note",
			intro: i ? ["About ", ...toNodes(about(i)), "."]
			    : ["On the time line, as of now."],
			fields: [{ name: "text", label: "Note", kind: "area",
			    required: true, max: MAX_TEXT }],
			action: "Add",
			send: ({ text }) => this.send("POST", "events", {
				text, ...(i && { target: i.target }),
				...(i?.datastore && { datastore: i.datastore }),
				...(!i?.datastore && i?.host && { host: i.host }),
			}),
		});
	}

	/** @param {Incident | null} i whom to silence; null: a pattern */
	silence(i) {
		const name = i?.datastore_name ?? i?.host_name;
		const match = !i ? "" : literal(i.target) +
		    (name ? "/" + literal(name) : "");
		this.open({
			title: "Silence",
			intro: ["Nobody is told; incidents are recorded and shown " +
			    "all the same."],
			fields: [{ name: "match", label: "Pattern", kind: "text",
			    value: match, required: true, max: MAX_TEXT,
			    hint: "on target/datastore, target/host or target, " +
				"as in lab/nfs*" },
			{ name: "op", label: "Direction", kind: "select",
			    value: i?.op ?? "", options: [["", "both"],
				["read", "read"], ["write", "write"]] },
			{ name: "duration", label: "For", kind: "select",
			    value: "1h", options: LENGTHS },
			{ name: "note", label: "Why (optional)", kind: "area",
			    max: MAX_TEXT }],
			action: "Silence",
			send: (v) => this.send("POST", "silences", {
				match: v.match, duration: v.duration,
				...(v.op && { op: v.op }),
				...(v.note && { note: v.note }),
			}),
		});
	}

	/** @param {import("./types.d.ts").Silence} s */
	endSilence(s) {
		this.open({
			title: "End this silence",
			intro: ["From now on people are told again about ",
			    ...toNodes([{ name: s.match }]), "."],
			fields: [],
			action: "End it",
			send: () => this.send("DELETE", `silences/${s.id}`),
		});
	}
}

/** @param {Incident} i @returns {import("./words.js").Sentence} */
function about(i) {
	return [{ name: i.datastore_name ?? i.host_name ?? i.target }];
}
