// harness.mjs - cases: one line each, and how many failed; what axe-core finds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url)
    .resolve("axe-core/axe.min.js"), "utf8");

export const cases = { passed: 0, failed: 0 };

/**
 * @param {string} name
 * @param {() => Promise<unknown>} body
 */
export async function check(name, body) {
	const begin = Date.now();
	try {
		await body();
		cases.passed++;
		console.log(`PASS: e2e/${name}`);
	} catch (e) {
		cases.failed++;
		console.log(`FAIL: e2e/${name}`);
		console.log(e instanceof Error ? e.stack : e);
	}
	console.log(`  ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

/** @param {import("playwright-core").Page} page nothing that keeps people out */
export async function assertAccessible(page) {
	const { violations } = await page.evaluate(AXE +
	    ";axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', " +
	    "'wcag21a', 'wcag21aa', 'best-practice']})");
	assert.deepEqual(violations.map((v) => v.id + ": " +
	    v.nodes.map((n) => n.html + " " + n.failureSummary).join("\n")),
	[]);
}
