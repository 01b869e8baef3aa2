/** The check of every answer sees what deviates. */
import { expect, it } from 'vitest'
import { type Answer, faultOf } from './answers.ts'

const settings: Answer = {
  method: 'PATCH',
  route: '/me',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{}',
}
const problem = { type: '/problems/x', title: 'X', status: 404, detail: 'x' }

it.each`
  because                               | more                                                              | expected
  ${'the status is not documented'}     | ${{ status: 418 }}                                                | ${/not documented/}
  ${'members are missing'}              | ${{}}                                                             | ${/required property/}
  ${'it is another content type'}       | ${{ contentType: 'text/html' }}                                   | ${/not among/}
  ${'it is not JSON'}                   | ${{ body: '{' }}                                                  | ${/not JSON/}
  ${'a member is not described'}        | ${{ ...asProblem({ ...problem, stack: 'at x' }) }}                | ${/stack/}
  ${'no route answers, and no problem'} | ${{ route: undefined, status: 404, contentType: 'text/plain' }}   | ${/not a problem/}
  ${'the body is not documented'}       | ${{ method: 'POST', route: '/auth/password-reset', status: 202 }} | ${/body/}
`(
  'finds a fault, as $because',
  ({ more, expected }: { more: Partial<Answer>; expected: RegExp }) => {
    expect(faultOf({ ...settings, ...more })).toMatch(expected)
  },
)

it('finds none in what is as described', () => {
  expect(faultOf({ ...settings, ...asProblem(problem) })).toBeUndefined()
  expect(faultOf({ ...settings, route: '/', status: 302, body: '' })).toBeUndefined()
})

function asProblem(body: object): Partial<Answer> {
  return { status: 401, contentType: 'application/problem+json', body: JSON.stringify(body) }
}
