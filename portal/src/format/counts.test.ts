import { expect, it } from 'vitest'
import { formatCountOf, formatBytes, formatPercent } from './counts.ts'

it.each`
  share      | text
  ${0.86}    | ${'86 %'}
  ${0.0123}  | ${'1.2 %'}
  ${0.00004} | ${'below 0.1 %'}
  ${0}       | ${'0 %'}
  ${0.9846}  | ${'98 %'}
  ${0.995}   | ${'99.5 %'}
  ${0.9993}  | ${'99.9 %'}
  ${0.99999} | ${'over 99.9 %'}
  ${1}       | ${'100 %'}
`('reads $share as $text', ({ share, text }: { share: number; text: string }) => {
  expect(formatPercent(share)).toBe(text)
})

it('counts in words, with thousands apart', () => {
  expect([
    formatCountOf(1, 'device'),
    formatCountOf(1204, 'device'),
    formatCountOf(0, 'vulnerability', 'vulnerabilities'),
  ]).toEqual(['1 device', '1,204 devices', '0 vulnerabilities'])
})

it('shows bytes in the unit that fits', () => {
  expect([512, 1536, 250 * 1024 ** 2].map(formatBytes)).toEqual(['512 B', '1.5 KiB', '250 MiB'])
})
