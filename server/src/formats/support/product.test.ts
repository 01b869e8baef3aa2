import fc from 'fast-check'
import { expect, it } from 'vitest'
import { supportCycle, supportProduct } from '../../../test/given-support.ts'
import { findCycle } from './cycles.ts'
import { parseSupportProduct, type SupportCycle } from './product.ts'

function readCycle(release: unknown): SupportCycle | undefined {
  const parsed = parseSupportProduct({ name: 'x', releases: [release] })
  return parsed.ok ? parsed.value.cycles[0] : undefined
}

it.each`
  stated                                                | expected                                  | because
  ${{ name: '1', isEol: false, eolFrom: '2028-04-30' }} | ${{ endsOn: '2028-04-30' }}               | ${'the day is stated'}
  ${{ name: '1', isEol: true, eolFrom: null }}          | ${{ hasEnded: true }}                     | ${'it has ended on an unknown day'}
  ${{ name: '1', isEol: false, eolFrom: null }}         | ${{ hasEnded: false }}                    | ${'no end is planned'}
  ${{ name: '1' }}                                      | ${{}}                                     | ${'nothing is said'}
  ${{ name: '1', isEol: null }}                         | ${{}}                                     | ${'null says nothing'}
  ${{ cycle: '1', eol: '2028-04-30' }}                  | ${{ endsOn: '2028-04-30' }}               | ${'older files have eol'}
  ${{ releaseCycle: '1', eol: true }}                   | ${{ hasEnded: true }}                     | ${'older files have eol'}
  ${{ cycle: '1', eol: false }}                         | ${{ hasEnded: false }}                    | ${'older files have eol'}
  ${{ name: '1', eolFrom: '2028-04-30T00:00:00Z' }}     | ${{ endsOn: '2028-04-30' }}               | ${'a time is of its day'}
  ${{ name: '1', isEol: true, eolFrom: '2023-02-30' }}  | ${{ hasEnded: true, fault: /not a day/ }} | ${'it has ended, and February has no 30th'}
  ${{ name: '1', isEol: false, eolFrom: '2023-02-30' }} | ${{ fault: /not a day/ }}                 | ${'not ended yet is no promise'}
  ${{ name: '1', eolFrom: '2023-02-30' }}               | ${{ fault: /not a day/ }}                 | ${'February has no 30th'}
  ${{ name: '1', eolFrom: 'soon' }}                     | ${{ fault: /"soon".*not a day/ }}         | ${'that is no day'}
`('reads the end of a cycle: $because', ({ stated, expected }) => {
  const { endsOn, hasEnded, fault } = readCycle(stated) ?? {}

  const { fault: expectedFault, ...rest } = expected as Partial<SupportCycle> & { fault?: RegExp }
  expect({ endsOn, hasEnded }).toEqual({ endsOn: undefined, hasEnded: undefined, ...rest })
  if (expectedFault) expect(fault).toMatch(expectedFault)
  else expect(fault).toBeUndefined()
})

it('knows no end where a cycle is stated twice with different ones', () => {
  const cycles = [supportCycle('2', '2027-01-01'), supportCycle('2', '2028-01-01')]
  const parsed = parseSupportProduct(supportProduct('x', cycles))

  expect(parsed).toMatchObject({
    value: { cycles: [{ name: '2', fault: expect.stringContaining('2028-01-01') as string }] },
  })
  expect(parsed).not.toHaveProperty('value.cycles.0.endsOn')
})

it('keeps one cycle where the same is said twice', () => {
  const cycles = [supportCycle('2', '2027-01-01'), supportCycle('2', '2027-01-01')]

  expect(parseSupportProduct(supportProduct('x', cycles))).toMatchObject({
    value: { cycles: [{ name: '2', endsOn: '2027-01-01' }] },
  })
})

it('leaves out a link that is none, which pages would make one of', () => {
  const cycle = readCycle({ name: '1', latest: { name: '1.2', link: 'javascript:alert(1)' } })

  expect(cycle).toMatchObject({ latest: '1.2' })
  expect(cycle?.link).toBeUndefined()
})

it.each`
  version           | cycles                       | expected     | because
  ${'1.1.1n'}       | ${['1.1.0', '1.1.1', '1.1']} | ${'1.1.1'}   | ${'the longest name counts, and letters follow'}
  ${'3.10.2'}       | ${['3.1', '3.10', '3']}      | ${'3.10'}    | ${'a number is not cut'}
  ${'3.1'}          | ${['3.10']}                  | ${undefined} | ${'a number is not cut'}
  ${'v6.12.38'}     | ${['6.12', '6.1']}           | ${'6.12'}    | ${'a v stands before'}
  ${'1:9.2p1'}      | ${['9.2', '1']}              | ${'9.2'}     | ${'an epoch is no version'}
  ${'20.11.0'}      | ${['20', '18']}              | ${'20'}      | ${'cycles may be one number'}
  ${'7.1.0'}        | ${['6.18', '6.17']}          | ${undefined} | ${'newer than what is listed is not known'}
  ${'2.0'}          | ${['stable', 'v2']}          | ${'v2'}      | ${'words are no versions'}
  ${'jammy'}        | ${['jammy']}                 | ${undefined} | ${'words are no versions'}
  ${'6.6.21-yocto'} | ${['6.6']}                   | ${'6.6'}     | ${'builds add words'}
`('finds the cycle of $version: $because', ({ version, cycles, expected }) => {
  const named = (cycles as string[]).map((name) => ({ name }))

  expect(findCycle(version as string, named)?.name).toBe(expected)
})

it('throws for nothing, and gives no end that is not a day', () => {
  fc.assert(
    fc.property(fc.anything(), fc.array(fc.anything()), (record, releases) => {
      parseSupportProduct(record)
      const parsed = parseSupportProduct({ name: 'x', releases })

      if (!parsed.ok) throw new Error('a list of anything is a product')
      for (const { endsOn } of parsed.value.cycles)
        expect(endsOn ?? '2026-01-01').toMatch(/^\d{4}-\d{2}-\d{2}$/)
    }),
  )
})
