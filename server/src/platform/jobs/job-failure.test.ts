import { expect, it } from 'vitest'
import { describeFailure } from './job-failure.ts'

it.each`
  error                                                                                          | reason
  ${new RangeError('Maximum call stack size exceeded')}                                          | ${'an internal error (RangeError)'}
  ${Object.assign(new Error('Key (workspace_id)=(7) exists'), { code: '23505', name: 'error' })} | ${'an internal error (error)'}
  ${Object.assign(new Error('canceling statement'), { code: '57014' })}                          | ${'a statement of the database took too long'}
  ${Object.assign(new Error('terminating'), { code: '57P01' })}                                  | ${'the database could not be reached'}
  ${Object.assign(new Error('no'), { name: 'of workspace 7' })}                                  | ${'an internal error (Error)'}
  ${undefined}                                                                                   | ${'an internal error (Error)'}
`(
  'tells "$reason" without what the message names',
  ({ error, reason }: Record<string, unknown>) => {
    expect(describeFailure(error)).toBe(reason)
  },
)
