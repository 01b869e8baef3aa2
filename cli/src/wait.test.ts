import { expect, it } from 'vitest'
import { EXIT } from './exit-codes.ts'
import type { Session } from './session.ts'
import { waitUntilReady } from './wait.ts'

const REASON = 'an internal error (RangeError); job 7'

/** A service that answers one SBOM, always the same. */
function sessionOf(sbom: object): Session {
  const rest = {
    id: 'a',
    fileName: 'a.json',
    parsingState: 'Succeeded',
    vulnerabilitiesParsedAt: null,
  }
  return {
    client: { get: () => Promise.resolve({ sboms: [{ ...rest, ...sbom }] }) },
  } as unknown as Session
}

const waiting = { timeoutSeconds: 0.01, onStates: () => undefined }

it.each`
  failure                                              | exitCode           | message
  ${{ attempts: 5, isGivenUp: false, reason: REASON }} | ${EXIT.sbomFailed} | ${`a.json: matching failed 5 times: ${REASON}. It is tried again.`}
  ${{ attempts: 3, isGivenUp: true, reason: REASON }}  | ${EXIT.sbomFailed} | ${`a.json: matching failed 3 times: ${REASON}. It is tried again every hour.`}
  ${{ attempts: 2, isGivenUp: false, reason: REASON }} | ${EXIT.timedOut}   | ${`Not ready after 0.01 seconds:\n  a.json: matching failed 2 times: ${REASON}. It is tried again.`}
  ${null}                                              | ${EXIT.timedOut}   | ${'Not ready after 0.01 seconds:\n  a.json: matching'}
  ${undefined}                                         | ${EXIT.timedOut}   | ${'Not ready after 0.01 seconds:\n  a.json: matching'}
`(
  'ends with $exitCode and the reason: $message',
  async ({ failure, exitCode, message }: Record<string, unknown>) => {
    const ready = waitUntilReady(sessionOf({ failure }), 'version', waiting)

    await expect(ready).rejects.toMatchObject({ exitCode, message })
  },
)
