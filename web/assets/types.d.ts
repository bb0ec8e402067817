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
