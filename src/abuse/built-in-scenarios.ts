import { MINUTE_MS } from '../core/duration.ts';
import type { EventFilter, Scenario } from './scenario.ts';

/**
 * The scenarios that are there without any configuration, in the form in which users write their own. The numbers are
 * chosen for who must not trip them: a person who reads fast, an office or a carrier behind one address, a search engine
 * that asks once a second. `docs/concepts/scenarios.md` tells for each whom it may hurt and what to do then.
 */

/** What every browser sends and programs mostly do not; and what only a first visit lacks. */
const notABrowser: EventFilter = { signedIn: false, headers: { without: ['accept-language', 'cookie'] } };

/** The joint rate is high, and it comes from everywhere: search engines come from a handful of ranges. */
const rotatingIps: Scenario = {
  name: 'rotating-ips',
  filter: notABrowser,
  key: 'fingerprint',
  distinct: [{ of: 'range', atLeast: 50, windowMs: MINUTE_MS }],
  bucket: { capacity: 1_200, leakPerMinute: 600 },
  // An IPv6 /48, which anybody may rent, is 65,536 networks of one range. A search engine has hundreds, and is not so fast.
  or: [
    {
      filter: notABrowser,
      key: 'fingerprint',
      distinct: [{ of: 'network', atLeast: 200, windowMs: MINUTE_MS }],
      bucket: { capacity: 3_600, leakPerMinute: 1_800 },
    },
  ],
};

/** One program that says to be many browsers: the agents differ, set and order of the headers do not. */
const headerTwins: Scenario = {
  name: 'header-twins',
  filter: notABrowser,
  key: 'headers',
  distinct: [
    { of: 'agent', atLeast: 12, windowMs: 10 * MINUTE_MS },
    { of: 'client', atLeast: 30, windowMs: 10 * MINUTE_MS },
  ],
  bucket: { capacity: 120, leakPerMinute: 30 },
};

/** 404s on many paths. Files that pages are made of do not count: a release that replaces them leaves many people asking. */
const pathScan: Scenario = {
  name: 'path-scan',
  filter: { status: ['404'], assets: false },
  key: 'client',
  distinct: [{ of: 'path', atLeast: 30, windowMs: 5 * MINUTE_MS }],
  bucket: { capacity: 40, leakPerMinute: 20 },
  // A new agent on every call makes a new client, not a new network.
  or: [
    {
      filter: { status: ['404'], assets: false, signedIn: false },
      key: 'network',
      distinct: [{ of: 'path', atLeast: 120, windowMs: 5 * MINUTE_MS }],
      bucket: { capacity: 160, leakPerMinute: 80 },
    },
  ],
};

/**
 * Reading on and on without a pause and never the same twice. People come back to what they have seen, and so do crowds
 * behind one address.
 */
const scraping: Scenario = {
  name: 'scraping',
  filter: { methods: ['GET'], status: ['2xx'], assets: false },
  key: 'client',
  distinct: [{ of: 'target', atLeast: 200, windowMs: 10 * MINUTE_MS, share: 0.9 }],
  bucket: { capacity: 240, leakPerMinute: 90 },
};

/** Input that does not pass validation, faster than a form that checks itself while somebody types. */
const invalidInput: Scenario = {
  name: 'invalid-input',
  filter: { status: ['400', '422'] },
  key: 'client',
  bucket: { capacity: 150, leakPerMinute: 60 },
  or: [
    {
      filter: { status: ['400', '422'], signedIn: false },
      key: 'network',
      bucket: { capacity: 600, leakPerMinute: 240 },
    },
  ],
};

/** 404s on different ids of one route. A stale list of links is walked once, and by one id at a time. */
const idGuessing: Scenario = {
  name: 'id-guessing',
  filter: { status: ['404'], id: true, assets: false },
  key: 'client',
  perRoute: true,
  distinct: [{ of: 'id', atLeast: 25, windowMs: 10 * MINUTE_MS }],
  bucket: { capacity: 30, leakPerMinute: 6 },
  or: [
    {
      filter: { status: ['404'], id: true, assets: false, signedIn: false },
      key: 'network',
      perRoute: true,
      distinct: [{ of: 'id', atLeast: 100, windowMs: 10 * MINUTE_MS }],
      bucket: { capacity: 120, leakPerMinute: 24 },
    },
  ],
};

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Writes that fail one after the other; one that succeeds makes a clean slate. What does not pass validation is the
 * business of `invalid-input`, wrong passwords (401) that of the guard, and who is over a limit (429) or meets a broken
 * service (5xx) has done nothing.
 */
const failingWrites: Scenario = {
  name: 'failing-writes',
  filter: { methods: writes, status: ['403', '404', '405', '409', '410', '412', '413', '415'] },
  key: 'client',
  bucket: { capacity: 40, leakPerMinute: 4 },
  clearedBy: { methods: writes, status: ['2xx', '3xx'] },
};

/** As frameworks, JSON:API (`page[…]`) and OData (`$…`) name them. `p` is none of them: WordPress and phpBB number posts by it. */
const pages = ['page', 'page_number', 'pagenumber', 'page_index', 'pageindex', 'paged', 'page[number]'];
const offsets = ['offset', 'skip', 'startindex', 'start_index', 'page[offset]', '$skip'];
/** Offsets to some, times to others: whoever polls what has happened since then is no reader of far pages. */
const offsetsOrTimes = ['start', 'from'];
/** No list is that long, and no time that early: in seconds it is a day in April 1970, in digits the year 1000. */
const earliestTime = 10_000_000;
const cursors = [
  'cursor',
  'after',
  'before',
  'page_token',
  'pagetoken',
  'next_token',
  'starting_after',
  'page[cursor]',
  'page[after]',
  'page[before]',
  '$skiptoken',
];
const listed: EventFilter = {
  methods: ['GET'],
  status: ['2xx'],
  query: [{ names: [...pages, ...offsets, ...offsetsOrTimes, ...cursors] }],
};

/** Far past what people read, page after page faster than anybody scrolls, or the same page again and again. */
const deepPagination: Scenario = {
  name: 'deep-pagination',
  filter: {
    methods: ['GET'],
    status: ['2xx', '400', '404', '422'],
    query: [
      { names: pages, from: 100 },
      { names: offsets, from: 2_000 },
      { names: offsetsOrTimes, from: 2_000, below: earliestTime },
    ],
  },
  key: 'client',
  distinct: [{ of: 'target', atLeast: 30, windowMs: 10 * MINUTE_MS }],
  bucket: { capacity: 60, leakPerMinute: 6 },
  or: [
    {
      filter: listed,
      key: 'client',
      perRoute: true,
      distinct: [{ of: 'target', atLeast: 150, windowMs: 10 * MINUTE_MS, share: 0.9 }],
      bucket: { capacity: 160, leakPerMinute: 30 },
    },
    {
      filter: listed,
      key: 'client',
      perRoute: true,
      distinct: [{ of: 'target', atMost: 2, windowMs: 5 * MINUTE_MS }],
      bucket: { capacity: 300, leakPerMinute: 120 },
    },
  ],
};

/** The scenarios that are watched for where a configuration names no others. */
export const builtInScenarios: readonly Scenario[] = Object.freeze([
  rotatingIps,
  headerTwins,
  pathScan,
  scraping,
  invalidInput,
  idGuessing,
  failingWrites,
  deepPagination,
]);
