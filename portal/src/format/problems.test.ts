import { expect, it } from 'vitest'
import { describeProblem } from './problems.ts'

interface Row {
  detail: string
  errors: ReturnType<typeof of>[]
  text: string
}

const of = (pointer: string, detail: string) => ({ pointer, detail })

it.each`
  detail                          | errors                                                            | text
  ${'No such device.'}            | ${[]}                                                             | ${'No such device.'}
  ${'/slug must not be empty.'}   | ${[of('/slug', 'must not be empty')]}                             | ${'Short name must not be empty.'}
  ${'/tags/0 is too long.'}       | ${[of('/tags/0', 'is too long'), of('/name', 'lacks a')]}         | ${'Tags, entry 1 is too long. Name lacks a.'}
  ${'The request lacks type.'}    | ${[of('', 'lacks type'), of('/quietHours/from', 'is not valid')]} | ${'The request lacks type. Quiet hours, from is not valid.'}
  ${'The condition is too wide.'} | ${[of('/condition', 'matches 2 series'), of('/q', 'too wide')]}   | ${'The condition is too wide. Condition matches 2 series.'}
  ${'/query/limit is too large.'} | ${[of('/query/limit', 'is too large')]}                           | ${'Limit is too large.'}
`('says $text', ({ text, ...problem }: Row) => {
  expect(describeProblem(problem)).toBe(text)
})
