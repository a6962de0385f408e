/** Where a command reads and writes, so that commands can be run without a process of their own. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether stderr is a terminal, where progress may be drawn. */
  readonly isTerminal: boolean;
}

/** How a command ends: 0 fine, 1 the answer is "no", 2 usage or input error. */
export type ExitCode = 0 | 1 | 2;
