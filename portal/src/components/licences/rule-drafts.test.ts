import { expect, it } from 'vitest'
import { readDraft, writeRules } from './rule-drafts.ts'

it('sends what was typed, a licence a line, and reads it back', () => {
  const draft = { allow: 'MIT\n\n Apache-2.0 ', deny: '', review: '', failOn: ['denied' as const] }

  const rules = writeRules(draft)

  expect(rules).toEqual({ allow: ['MIT', 'Apache-2.0'], deny: [], review: [], failOn: ['denied'] })
  expect(writeRules(readDraft(rules))).toEqual(rules)
})

it('takes empty lists for no rules', () => {
  expect(writeRules(readDraft(null))).toBeNull()
})
