import type { ComparisonResult } from './comparison.ts';

/** What the page asks of the worker, once. An empty policy text stands for the built-in policies. */
export interface ToReplay {
  readonly file: File;
  readonly policyA: string;
  /** Null: no second policy. */
  readonly policyB: string | null;
}

export interface TimelineResult {
  readonly start: number;
  readonly binMs: number;
  readonly bins: readonly {
    readonly ALLOW: number;
    readonly SOFT_BLOCK: number;
    readonly HARD_BLOCK: number;
  }[];
}

/** What one policy made of the file. */
export interface SideResult {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly rules: Readonly<Record<string, number>>;
  readonly scopes: Readonly<Record<string, number>>;
  readonly timeline: TimelineResult;
  readonly firstBlocks: readonly {
    readonly line: number;
    readonly t: number;
    readonly rule: string;
    readonly scope: string;
  }[];
  /** Records dropped to stay within memory: later decisions on them started anew. */
  readonly forgotten: number;
}

export interface ReplayResult {
  readonly events: number;
  readonly badLines: number;
  readonly firstBad: { readonly line: number; readonly why: string } | null;
  readonly backwards: number;
  readonly a: SideResult;
  readonly b: SideResult | null;
  readonly comparison: ComparisonResult | null;
}

export type FromReplay =
  | { readonly kind: 'progress'; readonly bytes: number; readonly events: number }
  | { readonly kind: 'done'; readonly result: ReplayResult; readonly durationMs: number }
  | { readonly kind: 'refused'; readonly why: string };
