import { expect, it } from 'vitest'
import { chooseLocale } from './locale.ts'

const AT = new Date('2026-11-19T12:00:00Z')

it.each`
  language     | date               | number
  ${'en-GB'}   | ${'19 Nov 2026'}   | ${'1,204.5'}
  ${'en-US'}   | ${'Nov 19, 2026'}  | ${'1,204.5'}
  ${'de-DE'}   | ${'19. Nov. 2026'} | ${'1.204,5'}
  ${'ar-EG'}   | ${/19.*2026/}      | ${'1,204.5'}
  ${'fa-IR'}   | ${/19.*2026/}      | ${'1,204.5'}
  ${'no such'} | ${'19 Nov 2026'}   | ${'1,204.5'}
  ${undefined} | ${'19 Nov 2026'}   | ${'1,204.5'}
`('writes dates and numbers for $language', ({ language, date, number }: Case) => {
  const locale = chooseLocale(language)
  const format = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const

  expect(new Intl.DateTimeFormat(locale, format).format(AT)).toMatch(date)
  expect(new Intl.NumberFormat(locale).format(1204.5)).toBe(number)
})

interface Case {
  language: string | undefined
  date: string | RegExp
  number: string
}
