import { expect, it } from 'vitest'
import {
  type DraftStage,
  countCharacters,
  findWhoWants,
  LATEST_FIELD_SET,
  listFields,
} from './report-fields.ts'

it('has the 39 fields of the glossary 1.3, each with one key and one number', () => {
  const { version, fields } = LATEST_FIELD_SET
  expect([version, fields.length]).toEqual(['1.3', 39])
  expect(new Set(fields.map(({ key }) => key)).size).toBe(39)
  expect(new Set(fields.map(({ number }) => number)).size).toBe(39)
})

it('asks each stage and type for its own fields alone', () => {
  const numbers = (
    ...of: Parameters<typeof listFields> extends [unknown, ...infer Rest] ? Rest : never
  ) => listFields(LATEST_FIELD_SET, ...of).map(({ number }) => number)
  expect(numbers('Vulnerability', 'EarlyWarning')).not.toContain('18')
  expect(numbers('Vulnerability', 'Notification')).toEqual(expect.arrayContaining(['18', 'v28']))
  expect(numbers('Vulnerability', 'FinalReport')).not.toContain('v28')
  expect(numbers('Incident', 'FinalReport').filter((one) => one.startsWith('v'))).toEqual([])
})

it.each`
  key                 | stage             | who           | because
  ${'title'}          | ${'EarlyWarning'} | ${'Platform'} | ${'the platform requires it'}
  ${'title'}          | ${'FinalReport'}  | ${'Platform'} | ${'what was required before is carried on'}
  ${'measuresTaken'}  | ${'EarlyWarning'} | ${undefined}  | ${'it is optional then'}
  ${'measuresTaken'}  | ${'Notification'} | ${'Law'}      | ${'the law wants it, though the platform does not'}
  ${'measuresTaken'}  | ${'FinalReport'}  | ${'Platform'} | ${'the platform requires it by then'}
  ${'sensitivity'}    | ${'Notification'} | ${undefined}  | ${'it is wanted where it applies'}
  ${'maliciousActor'} | ${'FinalReport'}  | ${undefined}  | ${'it is wanted if available'}
`(
  'says that $who wants $key at $stage, as $because',
  ({ key, stage, who }: { key: string; stage: DraftStage; who: string | undefined }) => {
    const field = LATEST_FIELD_SET.fields.find((one) => one.key === key)
    expect(field && findWhoWants(field, stage)).toBe(who)
  },
)

it('counts UTF-16 code units, and a line break as one', () => {
  expect([countCharacters('😀'), countCharacters('a\r\nb'), countCharacters('é')]).toEqual([
    2, 3, 1,
  ])
})
