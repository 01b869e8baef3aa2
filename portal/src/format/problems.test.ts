import { expect, it } from 'vitest'
import { describeField, describeProblem } from './problems.ts'

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

it.each`
  pointer                 | name          | text
  ${'/name'}              | ${'name'}     | ${'Must not be empty.'}
  ${'/condition/window'}  | ${'window'}   | ${'Must not be empty.'}
  ${'/tags/0'}            | ${'tags'}     | ${'Entry 1 must not be empty.'}
  ${'/phases/1/percent'}  | ${'phases/1'} | ${'Percent must not be empty.'}
  ${'/phases/10/percent'} | ${'phases/1'} | ${undefined}
  ${'/nickname'}          | ${'name'}     | ${undefined}
`('says $text of $name at $pointer', ({ pointer, name, text }: Record<string, string>) => {
  const problem = { detail: '', errors: [of(pointer ?? '', 'must not be empty')] }
  expect(describeField(problem, name ?? '')).toBe(text)
})
