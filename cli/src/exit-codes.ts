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
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
