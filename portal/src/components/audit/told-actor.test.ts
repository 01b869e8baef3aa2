import { expect, it } from 'vitest'
import { splitSentence } from './told-actor.ts'

const mara = { text: 'Mara', subject: { type: 'member' as const, id: 'm' } }
const key = { text: 'ci', subject: { type: 'api-key' as const, id: 'k' } }
const gateway = { text: 'gateway', subject: { type: 'firmware' as const, id: 'f' } }

it.each([
  ['a member', 'm', [mara, { text: ' made ' }, gateway], 'Mara'],
  ['a key', 'k', [{ text: 'Key ' }, key, { text: ' made ' }, gateway], 'Key ci'],
  ['the service', null, [{ text: 'The service made ' }, gateway], 'The service'],
  ['somebody unknown', 'x', [{ text: 'ann@example.com made ' }, gateway], ''],
])('tells %s from what they did', (_who, actorId, parts, actor) => {
  const told = splitSentence({ actorId, parts })

  expect(told.actor).toBe(actor)
  const whole = told.actor + told.done.map(({ text }) => text).join('')
  expect(whole).toBe(parts.map(({ text }) => text).join(''))
})
