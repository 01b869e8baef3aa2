import { expect, it } from 'vitest'
import { show } from '../../test/components.tsx'
import { MarkSentence } from './mark.tsx'

it.each`
  supportNote                          | text
  ${undefined}                         | ${'Overloaded: 2 known exploited'}
  ${'out of support since 2026-10-01'} | ${'Overloaded, out of support since 2026-10-01: 2 known exploited'}
`('says "$text", with the support before what lists cut off', async ({ supportNote, text }) => {
  const note = supportNote as string | undefined
  const gate = 'Overloaded: 2 known exploited'
  const sentence = note === undefined ? gate : `${gate}; ${note}`

  show(<MarkSentence mark={{ state: 'Overloaded', sentence, supportNote: note }} />)

  await expect.poll(() => document.querySelector('[title]')?.textContent).toBe(text)
  expect(document.querySelector('[title]')?.getAttribute('title')).toBe(sentence)
})
