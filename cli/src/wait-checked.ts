/** Waits until the service has examined who signed something. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'

const PAUSE_MS = 500

export async function waitUntilChecked<Verification extends { state: string }>(
  read: () => Promise<{ verifications: Verification[] }>,
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
