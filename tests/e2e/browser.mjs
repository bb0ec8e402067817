// browser.mjs - Debian's Chromium, watched: errors, violations of the content
// security policy, and requests that leave the page's own address.

import { chromium } from "playwright-core";

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
	"--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

export function launch() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: ARGS,
	});
}

export class Watched {
	/**
	 * @param {import("playwright-core").Browser} browser
	 * @param {string} url
	 * @param {object} [options] of the context
	 */
	static async open(browser, url, options = {}) {
		const w = new Watched();
		w.origin = new URL(url).origin;
		w.faults = [];
		w.foreign = [];
		w.requests = [];
		w.awayOk = false; // the daemon is down on purpose
		w.context = await browser.newContext({
			viewport: { width: 1440, height: 900 }, ...options,
		});
		w.page = await w.context.newPage();
		await w.page.addInitScript(() => {
			window.addEventListener("securitypolicyviolation", (e) =>
			    console.error("CSP", e.violatedDirective, e.blockedURI));
		});
		w.page.on("console", (m) => {
			if (m.type() === "error" || m.type() === "warning")
				w.fault(m.text());
		});
		w.page.on("pageerror", (e) => w.fault(String(e.stack)));
		w.page.on("dialog", (d) => {
			w.fault("dialog " + d.message());
			d.dismiss();
		});
		w.page.on("request", (r) => {
			w.requests.push(r);
			if (new URL(r.url()).origin !== w.origin)
				w.foreign.push(r.url());
		});
		return w;
	}

	/** @param {string} text */
	fault(text) {
		if (!this.awayOk || !/ERR_|Failed to load/.test(text))
			this.faults.push(text);
	}

	/** @param {string} sel @returns {Promise<string>} what is seen there */
	async text(sel) {
		const t = await this.page.locator(sel).first().innerText();
		return t.replace(/[\u202f\u00a0]/g, " ").trim();
	}

	/**
	 * A cell of the table of datastores.
	 * @param {string} name of the datastore
	 * @param {string} column
	 */
	async cell(name, column) {
		const row = this.page.locator(".datastores tbody tr").filter({
			has: this.page.getByText(name, { exact: true }),
		});
		const t = await row.locator(`[data-col=${column}]`).innerText();
		return t.replace(/[\u202f\u00a0]/g, " ").trim();
	}

	/**
	 * The highest value that a chart draws, of all its lines.
	 * @param {string} family
	 * @param {string} op
	 */
	drawn(family, op) {
		return this.page.evaluate(([f, o]) => {
			const box = document.querySelector(
			    `.panel-${f} figure[data-op=${o}] .chart`);
			return box.chart.data.slice(1).flat()
			    .reduce((a, b) => Math.max(a, b ?? 0), 0);
		}, [family, op]);
	}

	/** How many slots of a chart have a value in some line. */
	slots(family, op) {
		return this.page.evaluate(([f, o]) => {
			const box = document.querySelector(
			    `.panel-${f} figure[data-op=${o}] .chart`);
			const [t, ...ys] = box.chart.data;
			return t.filter((_, i) =>
			    ys.some((y) => y[i] !== null)).length;
		}, [family, op]);
	}
}
