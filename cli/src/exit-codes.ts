/** The exit codes; docs/guide/cli.md lists the same. */
export const EXIT = {
  ok: 0,
  /** Wrong usage, or any failure without a code of its own. */
  error: 1,
  findings: 2,
  sbomFailed: 3,
  noComponents: 4,
  sourceStale: 5,
  unavailable: 6,
  unauthorised: 7,
  timedOut: 8,
  notJudged: 9,
  /** Devices failed, or the roll-out was stopped. */
  rollOutFailed: 10,
  /** A roll-out was cancelled or superseded before it was done. */
  rollOutEnded: 11,
  /** Statements of a VEX document were not applied: a person decided otherwise, or they were not understood. */
  vexNotApplied: 12,
  /** Somebody ended the command with Ctrl-C. */
  interrupted: 130,
  /** Nobody read the answer to its end: what shells say of a program that SIGPIPE ended. */
  outputClosed: 141,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
