import { describe, expect, it } from 'vitest'
import { ApiProblem, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { describeFailure } from './failure.ts'

const problem = (status: number) =>
  new ApiProblem({ type: '/problems/x', title: 'X', status, detail: 'It is so.', errors: [] })

describe('a failure', () => {
  it.each([
    [400, EXIT.error],
    [401, EXIT.unauthorised],
    [403, EXIT.unauthorised],
    [404, EXIT.error],
    [409, EXIT.error],
    [413, EXIT.error],
    [429, EXIT.unavailable],
    [500, EXIT.unavailable],
    [503, EXIT.unavailable],
  ])('of status %i ends with the exit code %i', (status, exitCode) => {
    expect(describeFailure(problem(status))).toEqual({ exitCode, lines: ['It is so.'] })
  })

  it('names the fields at fault, each on a line', () => {
    const errors = [{ pointer: '/filter/name', detail: 'must be a list\u001b[2J' }]
    const { lines } = describeFailure(
      new ApiProblem({
        type: '/problems/x',
        title: 'X',
        status: 400,
        detail: 'Not valid.',
        errors,
      }),
    )

    expect(lines).toEqual(['Not valid.', '  /filter/name: must be a list\ufffd[2J'])
  })

  it('says once what is all that is wrong', () => {
    const errors = [
      { pointer: '', detail: 'The document makes no statement.' },
      { pointer: '/justification', detail: 'Not valid.' },
    ]
    const { lines } = describeFailure(
      new ApiProblem({
        type: '/problems/x',
        title: 'X',
        status: 400,
        detail: 'Not valid.',
        errors,
      }),
    )

    expect(lines).toEqual(['Not valid.'])
  })

  it('says which of several is wrong', () => {
    const errors = [{ pointer: '/emailAddresses/1', detail: 'Not valid.' }]
    const { lines } = describeFailure(
      new ApiProblem({
        type: '/problems/x',
        title: 'X',
        status: 400,
        detail: 'Not valid.',
        errors,
      }),
    )

    expect(lines).toEqual(['Not valid.', '  at /emailAddresses/1'])
  })

  it('doubts the address where something else answers', () => {
    const page = new Response('<html>', { status: 200, headers: { 'content-type': 'text/html' } })

    expect(describeFailure(new UnexpectedAnswer(page)).lines.at(-1)).toContain('PLIMSOLL_URL')
  })

  it.each`
    status | server           | exitCode             | hint
    ${413} | ${'nginx/1.29'}  | ${EXIT.error}        | ${'raise its client_max_body_size'}
    ${413} | ${'cloudflare'}  | ${EXIT.error}        | ${'proxy in front of the service lets through'}
    ${502} | ${'nginx/1.29'}  | ${EXIT.unavailable}  | ${'does not reach it'}
    ${504} | ${undefined}     | ${EXIT.unavailable}  | ${'does not reach it'}
    ${403} | ${'CorpGateway'} | ${EXIT.unauthorised} | ${'forbid this'}
    ${200} | ${undefined}     | ${EXIT.error}        | ${'login page of a proxy'}
    ${404} | ${undefined}     | ${EXIT.error}        | ${'PLIMSOLL_URL'}
  `(
    'names who answered $status in place of the service',
    ({ status, server, exitCode, hint }: Foreign) => {
      const headers = { 'content-type': 'text/html', ...(server && { server }) }
      const failure = describeFailure(
        new UnexpectedAnswer(new Response('<html>', { status, headers })),
      )

      expect(failure.exitCode).toBe(exitCode)
      expect(failure.lines[0]).toContain('not an answer of Plimsoll')
      expect(failure.lines[0]).toContain(server ?? '')
      expect(failure.lines[1]).toContain(hint)
    },
  )

  it('says a bug in one line, and how to see where it is', () => {
    const { exitCode, lines } = describeFailure(new RangeError('off by one'))

    expect(exitCode).toBe(EXIT.error)
    expect(lines).toEqual([expect.stringMatching(/off by one.*PLIMSOLL_DEBUG=1/)])
  })
})

interface Foreign {
  status: number
  server: string | undefined
  exitCode: number
  hint: string
}
