// protocol.js - which panel a protocol belongs to, and how its lines look:
// hue, dash and glyph together, so that none of them alone carries meaning.

/** @typedef {"nfs" | "iscsi" | "other"} Family */

/** @type {readonly Family[]} */
export const FAMILIES = ["nfs", "iscsi", "other"];

/** @type {Record<string, string>} */
const LABELS = {
	nfs3: "NFS 3",
	nfs41: "NFS 4.1",
	cifs: "CIFS",
	iscsi: "iSCSI",
	iser: "iSER",
	fc: "FC",
	fcoe: "FCoE",
	"nvme-tcp": "NVMe/TCP",
	"nvme-rdma": "NVMe/RDMA",
	"nvme-fc": "NVMe/FC",
	"nvme-pcie": "NVMe/PCIe",
	sas: "SAS",
	local: "local",
	vsan: "vSAN",
	vvol: "vVol",
	pmem: "PMEM",
	mixed: "mixed",
	unknown: "unknown",
};

/** @type {Record<Family, {title: string, glyph: string, dashes: number[][], shapes: string[]}>} */
const LOOKS = {
	nfs: {
		title: "NFS",
		glyph: "\u25cf",
		dashes: [[], [12, 3, 3, 3]],
		shapes: ["circle", "square", "diamond", "plus"],
	},
	iscsi: {
		title: "iSCSI",
		glyph: "\u25b2",
		dashes: [[7, 3], [9, 3, 2, 3]],
		shapes: ["triangle", "square", "diamond", "plus"],
	},
	other: {
		title: "Other protocols",
		glyph: "\u25a0",
		dashes: [[2, 2], [2, 2, 6, 2]],
		shapes: ["square", "circle", "diamond", "plus"],
	},
};

const HUES = 4;
/** How many datastores a panel draws as lines of their own. */
export const MAX_LINES = 8;

/** @param {string} protocol */
export function protocolLabel(protocol) {
	return LABELS[protocol] ?? protocol;
}

/**
 * @param {string} protocol
 * @returns {Family}
 */
export function familyOf(protocol) {
	if (protocol === "nfs3" || protocol === "nfs41")
		return "nfs";
	return protocol === "iscsi" || protocol === "iser" ? "iscsi" : "other";
}

/** @param {string} protocol vSAN and PMEM have no counters to draw */
export function isMeasured(protocol) {
	return protocol !== "vsan" && protocol !== "pmem";
}

/** @param {Family} family */
export function familyTitle(family) {
	return LOOKS[family].title;
}

/** @param {Family} family */
export function familyGlyph(family) {
	return LOOKS[family].glyph;
}

/**
 * @typedef {object} LineStyle
 * @property {string} color name of the custom property
 * @property {number[]} dash
 * @property {string} shape
 * @property {boolean} hollow
 *
 * @param {Family} family
 * @param {number} i place in the panel, 0 .. MAX_LINES - 1
 * @returns {LineStyle}
 */
export function lineStyle(family, i) {
	const look = LOOKS[family];
	const second = Math.floor(i / HUES) % 2;
	return {
		color: `--${family}-${i % HUES}`,
		dash: look.dashes[second],
		shape: look.shapes[i % HUES],
		hollow: second === 1,
	};
}
