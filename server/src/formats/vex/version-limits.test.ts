import { expect, it } from 'vitest'
import { isWithin } from './version-limits.ts'

it.each`
  version      | limit                               | expected     | because
  ${'4.2'}     | ${'4.2'}                            | ${true}      | ${'it is that version'}
  ${'v4.2'}    | ${'4.2'}                            | ${true}      | ${'a v before the number is a way of writing'}
  ${'4.3'}     | ${'4.2'}                            | ${false}     | ${'it is another'}
  ${'2.9'}     | ${'vers:generic/>=2.9|<=4.1'}       | ${true}      | ${'the lower bound is in'}
  ${'4.1'}     | ${'vers:generic/>=2.9|<=4.1'}       | ${true}      | ${'so is the upper'}
  ${'4.2'}     | ${'vers:generic/>=2.9|<=4.1'}       | ${false}     | ${'it is above'}
  ${'1.2'}     | ${'vers:npm/>=1.0|<1.3|>=2.0|<2.4'} | ${true}      | ${'the first range has it'}
  ${'1.5'}     | ${'vers:npm/>=1.0|<1.3|>=2.0|<2.4'} | ${false}     | ${'it is between the ranges'}
  ${'2.3.9'}   | ${'vers:npm/>=1.0|<1.3|>=2.0|<2.4'} | ${true}      | ${'the second range has it'}
  ${'0.9'}     | ${'vers:npm/<1.0|>3.0'}             | ${true}      | ${'it is below'}
  ${'2.0'}     | ${'vers:npm/<1.0|>3.0'}             | ${false}     | ${'it is in the gap'}
  ${'1.1'}     | ${'vers:npm/>=1.0|!=1.1|<2.0'}      | ${false}     | ${'it is left out by name'}
  ${'1.9'}     | ${'vers:npm/1.0|1.9'}               | ${true}      | ${'it is listed'}
  ${'1.8'}     | ${'vers:npm/!=1.9'}                 | ${true}      | ${'only another is left out'}
  ${'1.0~rc1'} | ${'vers:deb/<1.0'}                  | ${true}      | ${'Debian sorts ~ before the end'}
  ${'7'}       | ${'vers:all/*'}                     | ${true}      | ${'all are meant'}
  ${'7'}       | ${'All versions'}                   | ${true}      | ${'all are meant, in words'}
  ${'6.3'}     | ${'< V6.4'}                         | ${true}      | ${'CSAF documents write it so'}
  ${'6.4'}     | ${'< V6.4'}                         | ${false}     | ${'the bound is not in'}
  ${'2.0'}     | ${'>= 1.5.1 | <= 2.4.10'}           | ${true}      | ${'bounds may stand apart'}
  ${'6.2'}     | ${'< 6.3  of telerik software'}     | ${undefined} | ${'that is a sentence'}
  ${'1.0'}     | ${'vers:unheard/>=1'}               | ${undefined} | ${'nobody knows how to compare'}
`('$version is within $limit: $expected, as $because', ({ version, limit, expected }) => {
  expect(isWithin(String(version), String(limit))).toBe(expected)
})

it('reads a range of many bounds that breaks off, in no time', () => {
  expect(isWithin('1.0', `<1${'|<1'.repeat(5_000)} x`)).toBe(undefined)
})
