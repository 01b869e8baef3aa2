import { expect, it } from 'vitest'
import { rememberAnswers } from './remembered.ts'

it('answers as the function does, and asks it once for a repeated text', () => {
  const asked: string[] = []
  const lengthOf = rememberAnswers((text) => {
    asked.push(text)
    return text === '' ? undefined : text.length
  })

  expect(['a', 'bb', '', 'a', '', 'bb'].map(lengthOf)).toEqual([1, 2, undefined, 1, undefined, 2])
  expect(asked).toEqual(['a', 'bb', ''])
})

it('never forgets a text that comes again and again', () => {
  let count = 0
  const answerOf = rememberAnswers((text) => (text === 'frequent' ? ++count : 0))

  for (let n = 0; n < 20_000; n++) {
    answerOf(String(n))
    if (n % 1_000 === 0) answerOf('frequent')
  }

  expect(count).toBe(1)
})

it('forgets when it knows many texts', () => {
  const same = rememberAnswers((text) => text)
  const texts = Array.from({ length: 10_000 }, (_, n) => String(n))

  expect([...texts, ...texts].map(same)).toEqual([...texts, ...texts])
})
