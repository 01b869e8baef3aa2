import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ApiProblem, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'
import type { Session } from './session.ts'
import { runInTerminal } from './terminal.ts'
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

const problem = (status: number) =>
  new ApiProblem({ type: '/problems/x', title: 'X', status, detail: 'It is so.', errors: [] })

it.each`
  failure                                                    | isOver   | because
  ${new CliError(EXIT.unavailable, 'Cannot reach it.')}      | ${true}  | ${'it may start again'}
  ${new TypeError('terminated')}                             | ${true}  | ${'it ended within its answer'}
  ${new UnexpectedAnswer(new Response('', { status: 502 }))} | ${true}  | ${'a proxy does not reach it'}
  ${problem(503)}                                            | ${true}  | ${'it is about to end'}
  ${problem(500)}                                            | ${false} | ${'it would fail again'}
  ${problem(401)}                                            | ${false} | ${'it is an answer'}
`(
  'goes on after $failure.message: $isOver, as $because',
  async ({ failure, isOver }: { failure: Error; isOver: boolean }) => {
    const sboms = [{ id: 'a', parsingState: 'Succeeded', vulnerabilitiesParsedAt: '2026-01-01' }]
    let asked = 0
    const get = () => ((asked += 1) === 1 ? Promise.reject(failure) : Promise.resolve({ sboms }))
    const session = { client: { get } } as unknown as Session
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    let outcome: unknown

    await runInTerminal({ env: {}, stdin, stdout, stderr }, async () => {
      const ready = waitUntilReady(session, 'version', { ...waiting, timeoutSeconds: 60 })
      outcome = await ready.catch((error: unknown) => error)
    })

    expect(outcome).toEqual(isOver ? sboms : failure)
    const noted = String(stderr.read() ?? '')
    expect(noted.includes('The service does not answer')).toBe(isOver)
  },
)
