/** Which of the stated ends of support counts, and that none is kept back. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { decidePeriod, notePeriod, type StatedEnds } from './periods.ts'

const DAY = '2026-11-30'
const NONE: StatedEnds = {
  productLine: null,
  productLineEndsOn: null,
  releaseLine: null,
  releaseLineEndsOn: null,
  firmware: 'Gateway',
  firmwareEndsOn: null,
}
const PUMP = { productLine: 'Pump' }
const LTS = { releaseLine: '2.x' }

it.each`
  ends                                                                                     | state         | sentence
  ${{}}                                                                                    | ${'NotKnown'} | ${'No end of support is known: the firmware is of no product line, and nobody has stated one for it'}
  ${PUMP}                                                                                  | ${'NotKnown'} | ${'No end of support is known: nobody has stated one for the product line Pump'}
  ${{ ...PUMP, productLineEndsOn: '2026-11-30' }}                                          | ${'Ended'}    | ${'Out of support since 2026-11-30, as stated for the product line Pump'}
  ${{ ...PUMP, productLineEndsOn: '2026-12-01' }}                                          | ${'EndsSoon'} | ${'Support ends in 1 day, after 2026-11-30, as stated for the product line Pump'}
  ${{ ...PUMP, productLineEndsOn: '2027-05-29' }}                                          | ${'EndsSoon'} | ${'Support ends in 180 days, after 2027-05-28, as stated for the product line Pump'}
  ${{ ...PUMP, productLineEndsOn: '2027-05-30' }}                                          | ${'Promised'} | ${'Supported until 2027-05-29, as stated for the product line Pump'}
  ${{ firmwareEndsOn: '2026-01-01' }}                                                      | ${'Ended'}    | ${'Out of support since 2026-01-01, as stated for the firmware Gateway'}
  ${{ ...LTS, releaseLineEndsOn: '2032-01-01', firmwareEndsOn: '2026-01-01' }}             | ${'Promised'} | ${'Supported until 2031-12-31, as stated for the release line 2.x'}
  ${{ ...PUMP, productLineEndsOn: '2026-10-01', ...LTS, releaseLineEndsOn: '2032-01-01' }} | ${'Ended'}    | ${'Out of support since 2026-10-01, as stated for the product line Pump; the release line 2.x: supported until 2031-12-31'}
  ${{ ...PUMP, productLineEndsOn: '2032-01-01', ...LTS, releaseLineEndsOn: '2026-10-01' }} | ${'Promised'} | ${'Supported until 2031-12-31, as stated for the product line Pump; the release line 2.x: out of support since 2026-10-01'}
  ${{ ...PUMP, productLineEndsOn: '2032-01-01', firmwareEndsOn: '2032-01-01' }}            | ${'Promised'} | ${'Supported until 2031-12-31, as stated for the product line Pump'}
`('says "$sentence" of $ends', ({ ends, state, sentence }: Record<string, object | string>) => {
  const period = decidePeriod({ ...NONE, ...(ends as object) }, DAY)

  expect([period.state, period.sentence]).toEqual([state, sentence])
})

const End = fc.constantFrom(
  null,
  '2020-01-01',
  '2026-11-30',
  '2026-12-01',
  '2027-06-01',
  '2040-01-01',
)

it('notes what is over or near beside a mark, whoever stated it, and nothing else', () => {
  fc.assert(
    fc.property(End, End, End, (productLineEndsOn, releaseLineEndsOn, firmwareEndsOn) => {
      const ends = {
        ...NONE,
        ...PUMP,
        ...LTS,
        productLineEndsOn,
        releaseLineEndsOn,
        firmwareEndsOn,
      }
      const { statements, sentence } = decidePeriod(ends, DAY)
      const note = notePeriod(ends, DAY)

      const isTold = statements.some(({ state }) => state === 'Ended' || state === 'EndsSoon')
      expect(note !== undefined).toBe(isTold)
      expect(note ?? '').not.toMatch(/Pump|2\.x|Gateway/)
      for (const { endsOn, state } of statements)
        if (state === 'Ended') expect([note, sentence].join()).toContain(`since ${endsOn}`)
      expect(statements.map(({ endsOn }) => endsOn)).toEqual(
        [productLineEndsOn, releaseLineEndsOn ?? firmwareEndsOn].filter((one) => one !== null),
      )
    }),
    { numRuns: propertyRuns(200) },
  )
})
