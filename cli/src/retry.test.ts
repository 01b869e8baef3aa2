import { describe, expect, it } from 'vitest'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'
import { withRetries } from './retry.ts'

const refused = () =>
  new TypeError('fetch failed', { cause: new AggregateError([new Error('connect ECONNREFUSED')]) })

const answer =
  (status: number, headers = {}) =>
  () =>
    new Response('', { status, headers })

async function outcomeOf(repeatable: boolean, ...answers: (() => Response | Error)[]) {
  let calls = 0
  const send = async () => {
    const given = answers[Math.min(calls++, answers.length - 1)]?.()
    if (given instanceof Response) return given
    throw given ?? new Error('no answer given')
  }
  const retrying = { repeatable, origin: 'http://service.test', delaysMs: [0, 0] }
  const outcome = await withRetries(send, retrying).catch((error: unknown) => error)
  return { calls, outcome }
}

interface Case {
  first: () => Response | Error
  repeatable: boolean
  calls: number
}

describe('asking again', () => {
  it.each`
    first          | repeatable | calls | because
    ${answer(503)} | ${false}   | ${2}  | ${'the service did not take it'}
    ${answer(429)} | ${false}   | ${2}  | ${'the service asks for patience'}
    ${answer(502)} | ${true}    | ${2}  | ${'it may be repeated'}
    ${answer(502)} | ${false}   | ${1}  | ${'it may have happened'}
    ${answer(500)} | ${true}    | ${1}  | ${'it would fail again'}
    ${answer(404)} | ${true}    | ${1}  | ${'it is an answer'}
    ${refused}     | ${true}    | ${2}  | ${'the service may be back'}
    ${refused}     | ${false}   | ${1}  | ${'it may have happened'}
  `('asks $calls times, as $because', async ({ first, repeatable, calls }: Case) => {
    expect((await outcomeOf(repeatable, first, answer(200))).calls).toBe(calls)
  })

  it('gives the last answer in the end', async () => {
    const { calls, outcome } = await outcomeOf(true, answer(503, { 'retry-after': '0' }))

    expect(calls).toBe(3)
    expect(outcome).toMatchObject({ status: 503 })
  })

  it('says why the service cannot be reached', async () => {
    const { outcome } = await outcomeOf(true, refused)

    expect(outcome).toMatchObject({ exitCode: EXIT.unavailable })
    expect(String(outcome)).toContain('Cannot reach http://service.test: connect ECONNREFUSED.')
  })

  it('does not take a fault of our own for one of the service', async () => {
    const own = new CliError(EXIT.error, 'The file became shorter.')

    const { calls, outcome } = await outcomeOf(
      true,
      () => new TypeError('fetch failed', { cause: own }),
    )

    expect(calls).toBe(1)
    expect(outcome).toBe(own)
  })
})
