import type { LogFormatName } from '../../../src/abuse/log-formats/log-entry.ts';
import type { DifferingSubject } from '../../../src/cli/compare/comparison.ts';
import type { ThresholdRow } from '../../../src/cli/compare/labelled-scores.ts';
import type { LogChoices } from './log-choices.ts';

/** What the page asks of the worker, once. An empty policy text stands for the built-in policies. */
export interface ToReplay {
  readonly file: File;
  /** What the file is; `detect`: what its first lines look like. */
  readonly format: 'detect' | 'events' | LogFormatName;
  /** What a log leaves out. */
  readonly choices: LogChoices;
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

/** How well a policy tells the labelled attacks from the rest. */
export interface LabelResult {
  /** Under the curve of recall over false positives; null without both kinds. */
  readonly area: number | null;
  readonly rows: readonly ThresholdRow[];
}

/** What two policies make of the same file, as `portcullis compare` counts it. */
export interface ComparisonResult {
  readonly events: number;
  readonly differences: number;
  readonly harder: { readonly a: number; readonly b: number; readonly length: number };
  /** How often policy A decided the first and B the second. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly subjects: readonly Omit<DifferingSubject, 'account' | 'ip'>[];
  readonly labels: {
    readonly attacks: number;
    readonly honest: number;
    readonly a: LabelResult;
    readonly b: LabelResult;
  } | null;
}

/** What a log held besides decisions. */
export interface LogResult {
  readonly lines: number;
  /** Lines that tell of a login but not whose. */
  readonly nameless: number;
  /** Lines that were not understood; the first of them by its number. */
  readonly unknown: number;
  readonly firstUnknown: number | null;
}

export interface ReplayResult {
  readonly format: 'events' | LogFormatName;
  readonly events: number;
  readonly badLines: number;
  readonly firstBad: { readonly line: number; readonly why: string } | null;
  readonly backwards: number;
  /** Null for events, of which every line is one. */
  readonly log: LogResult | null;
  readonly a: SideResult;
  readonly b: SideResult | null;
  readonly comparison: ComparisonResult | null;
}

export type FromReplay =
  | { readonly kind: 'progress'; readonly bytes: number; readonly events: number }
  | { readonly kind: 'done'; readonly result: ReplayResult; readonly durationMs: number }
  | { readonly kind: 'refused'; readonly why: string };
