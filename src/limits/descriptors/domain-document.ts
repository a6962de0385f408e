/**
 * The configuration form of Envoy's rate limit service (github.com/envoyproxy/ratelimit), so that a file written for it
 * can be used as it is. Field names are therefore not ours.
 */

/** How much one descriptor may do. */
export interface RateLimitEntry {
  /** `second`, `minute`, `hour`, `day`, `week`, `month` or `year`, in any case. Needed unless `unlimited`. */
  readonly unit?: string;
  /** 0 refuses everything. Needed unless `unlimited`. */
  readonly requests_per_unit?: number;
  readonly unlimited?: boolean;
  /** What other limits replace it by, and how it is called in headers and events. */
  readonly name?: string;
  /** Limits that do not count in a request where this one does. */
  readonly replaces?: readonly { readonly name: string }[];
}

/** What a descriptor's entry must show, and what follows from it. */
export interface DescriptorEntry {
  readonly key: string;
  /** Absent: any value, each with its own counter. A last `*` stands for any ending. */
  readonly value?: string | number | boolean;
  readonly rate_limit?: RateLimitEntry;
  readonly descriptors?: readonly DescriptorEntry[];
  /** Counts and tells, never refuses. */
  readonly shadow_mode?: boolean;
  /** The same: what a quota decides is not ours to refuse. */
  readonly quota_mode?: boolean;
  /** One counter for all values that a `*` matches. */
  readonly share_threshold?: boolean;
  /** Accepted and without effect: values can be identifiers, and those never become metrics. */
  readonly detailed_metric?: boolean;
  /** Accepted and without effect, as `detailed_metric`. */
  readonly value_to_metric?: boolean;
}

/** One domain: the tree of what it limits. */
export interface DomainDocument {
  readonly domain: string;
  readonly descriptors?: readonly DescriptorEntry[];
}
