export const EXIT = {
  ok: 0,
  error: 1,
  findings: 2,
  sbomFailed: 3,
  noComponents: 4,
  sourceStale: 5,
  unavailable: 6,
  unauthorised: 7,
  timedOut: 8,
  notJudged: 9,
  rollOutFailed: 10,
  rollOutEnded: 11,
  vexNotApplied: 12,
  profileNotMet: 13,
  licencesNotMet: 14,
  evidenceDiffers: 15,
  imageNotVerified: 16,
  chainIncomplete: 17,
  devicesWorse: 18,
  notCompared: 19,
  interrupted: 130,
  outputClosed: 141,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What docs/guide/cli-commands.md says of them. */
export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'done; for `findings check`: nothing at or above the threshold',
  error: 'wrong usage, or any error without a code of its own',
  findings: '`findings check`: findings at or above the threshold',
  sbomFailed:
    'an SBOM could not be read, or matching it failed five times (`findings check`, `sbom upload --wait`)',
  noComponents: '`findings check`: the version has no SBOM, or one of its SBOMs has no components',
  sourceStale: '`findings check`: a vulnerability source was never read completely, or not lately',
  unavailable: 'the service cannot be reached, or is not available',
  unauthorised: 'the API key is missing or not valid, or lacks a scope',
  timedOut: 'the SBOMs were not ready in time, or a roll-out did not end in time',
  notJudged:
    '`findings check`: nothing can be told of more components than `--max-not-judged`, or packages are not matched yet',
  rollOutFailed:
    '`deployment watch`: devices failed, or the roll-out was stopped for another reason than 18',
  rollOutEnded: '`deployment watch`: the roll-out was cancelled or superseded before it was done',
  vexNotApplied:
    '`vex import`: statements disagree with a person’s decision or were not understood',
  profileNotMet:
    '`sbom check --profile`: required elements are missing, or the format cannot say them',
  licencesNotMet:
    '`sbom check --licence-rules`, `licence show --fail`: licences that the rules fail on, or no rules',
  evidenceDiffers: '`evidence verify`: the bundle is not as it was signed',
  imageNotVerified:
    '`artifact verify`: an artifact is not verified by a trusted key; `artifact check`: a file is not, or is not as asked; `sbom verify` and `sbom check --keys`: a document is not',
  chainIncomplete: '`firmware chain`: an image is linked to no SBOM, or something says otherwise',
  devicesWorse:
    '`deployment comparison`: updated devices changed for the worse; `deployment watch`: that stopped the roll-out',
  notCompared:
    '`deployment comparison`: too few devices to tell, or nothing was compared yet; for a phase that asks for it',
  interrupted: 'Ctrl-C ended it',
  outputClosed:
    'nobody read the answer to its end, as in a pipe to `head`; a command that was done has its own code',
}
