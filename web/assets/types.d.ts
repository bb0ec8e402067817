// types.d.ts - the shapes the page exchanges with dslatd; types only, not served.

export type Op = "read" | "write";
export type Zone = "utc" | "local";

export interface Target {
	name: string;
	url?: string;
	state: string; // starting ok degraded unreachable auth_failed
	api_type: string | null;
	version: string | null;
	last_poll: string | null;
	poll_ms: number | null;
	hosts: number;
	datastores: number;
	samples: number;
	rejected: number;
	server_time: string | null;
	clock_skew_ms: number | null;
	error: string | null;
	insecure?: boolean;
}

export interface Status {
	version: string;
	now: string;
	uptime_s: number;
	targets: Target[];
}

export interface Latest {
	t: string | null;
	read_ms: number | null;
	write_ms: number | null;
	read_worst_ms: number | null;
	write_worst_ms: number | null;
	read_worst_host: string | null;
	write_worst_host: string | null;
	read_iops: number | null;
	write_iops: number | null;
	hosts_n: number;
	hosts_expected: number;
}

export interface Datastore {
	id: string;
	target: string;
	name: string;
	fs: string | null;
	protocol: string;
	protocols: string[];
	family: string;
	backing: string | null;
	accessible: boolean;
	state: string;
	reason?: string | null;
	stale_s: number | null;
	threshold_ms: number;
	latest: Latest | null;
}

export interface Series {
	resolution_s: number;
	t: number[];
	series: {
		metric: string;
		datastore: string;
		values: (number | null)[];
		max: (number | null)[];
	}[];
	partial?: string | null; // why not all is there
}

export interface Peak {
	datastore: string; // id
	datastore_name?: string;
	host: string; // id
	host_name?: string;
	op: Op;
	t: string;
	ms: number;
	iops?: number | null;
	breach?: string | null;
}

export interface IncidentHost {
	id: string;
	name: string;
	worst_ms: number | null;
	worst_ios: number | null;
	worst_t: string | null;
	severity: string;
}

export interface Incident {
	id: number;
	kind: string; // slow no_data inaccessible unreachable login
	state: string; // open announced ended
	severity: string; // warning critical
	worst_severity: string;
	was_announced: boolean;
	started: string;
	announced: string | null;
	ended: string | null;
	end_reason: string | null;
	summary: string | null;
	where: string | null;
	target: string;
	datastore: string | null; // id
	datastore_name: string | null;
	datacenter: string | null;
	cluster: string | null;
	host: string | null; // id
	host_name: string | null;
	protocol: string | null;
	backing: string | null;
	op: Op | null;
	worst_ms: number | null;
	worst_ios: number | null;
	worst_t: string | null;
	worst_host: string | null;
	breach_samples: number;
	threshold: { warning_ms: number; critical_ms: number;
	    clear_ms: number; clear_samples: number } | null;
	fine_samples: number;
	hosts_n: number;
	hosts: IncidentHost[];
	acked: string | null;
	ack_by: string | null;
	ack_note: string | null;
	nested_in: string | null;
	silenced_by: string | null;
}

// A line of the time line that is no incident.
export interface TimeEvent {
	id: number;
	t: string;
	kind: string; // note audit setting vsphere dslatd
	text: string;
	by: string | null;
	target: string | null;
	datastore: string | null; // id
	host: string | null; // id
}

export interface Silence {
	id: number;
	state: string; // pending active expired
	match: string;
	protocol: string | null;
	kind: string | null;
	op: Op | null;
	from: string;
	until: string;
	by: string | null;
	note: string | null;
}

export interface Session {
	name: string | null;
	role: string | null; // read write
	anonymous_read: boolean;
}

// One datastore in an event `sample`: columns, one value per t.
export interface SampleColumns {
	id: string;
	t: number[];
	state?: string;
	hosts_expected?: number;
	[column: string]: string | number | undefined |
	    (string | number | null)[];
}

export interface SampleEvent {
	target: string;
	t: number | string | null;
	datastores: SampleColumns[];
}

// One direction of one 20 s slot of a datastore.
export interface Point {
	mean: number | null; // weighted by I/Os
	worst: number | null; // of its hosts
	iops: number | null; // null: rate unknown
	host: string | null; // of the worst, where known
	t?: number; // of the worst, where it stands for a longer time
}

export interface Held {
	id: string;
	op: Op;
	t: number;
	at?: number; // t on the axis, where its target's clock is off
	ms: number;
	name: string;
	host: string;
	family: string;
}

// What the pages share: see app.js.
export interface Core {
	options: import("./options.js").Options;
	clocks: import("./clock.js").Clocks;
	store: import("./store.js").Store;
	past: import("./past.js").Past;
	inventory: import("./inventory.js").Inventory;
	loader: import("./loader.js").Loader;
	held: import("./peaks.js").HeldPeaks;
	live: import("./live.js").Live;
	incidents: import("./incidents.js").Incidents;
	rights: import("./rights.js").Rights;
	writes: import("./writes.js").Writes;
	status: Status | null;
	tables: boolean; // charts as tables
	draw: () => void; // with the next frame
	dismiss: (h: Held) => void;
}
