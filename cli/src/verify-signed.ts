/** `verify`: whether trusted keys signed each of what a firmware version has, for people and pipelines. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'
import { note, printJson, printLine } from './print.ts'
import { sanitise } from './printable.ts'
import type { ConnectionOptions } from './session.ts'
import { getTerminal } from './terminal.ts'

export interface VerifyOptions extends ConnectionOptions {
  timeout: number
}

interface Signed<Verification> {
  read: () => Promise<{ verifications: Verification[] }>
  describe: (one: Verification) => string[]
  /** Said where there is nothing to verify, which fails as well. */
  none: string
}

/** Waits until the service has examined all, prints what it found, and fails unless each is verified. */
export async function verifySigned<Verification extends { state: string }>(
  options: VerifyOptions,
  { read, describe, none }: Signed<Verification>,
): Promise<void> {
  const verifications = await waitUntilChecked(read, options.timeout)
  if (options.json) printJson({ verifications })
  else for (const one of verifications) for (const line of describe(one)) printLine(sanitise(line))
  if (verifications.length === 0) note(none)
  const isVerified = verifications.every(({ state }) => state === 'Verified')
  if (!isVerified || verifications.length === 0) getTerminal().exitCode = EXIT.imageNotVerified
}

const PAUSE_MS = 500

async function waitUntilChecked<Verification extends { state: string }>(
  read: Signed<Verification>['read'],
  timeoutSeconds: number,
): Promise<Verification[]> {
  const deadline = performance.now() + timeoutSeconds * 1000
  for (;;) {
    const { verifications } = await read()
    if (verifications.every(({ state }) => state !== 'Checking')) return verifications
    if (performance.now() >= deadline)
      throw new CliError(EXIT.timedOut, `The check did not end within ${timeoutSeconds} seconds.`)
    await sleep(PAUSE_MS)
  }
}
