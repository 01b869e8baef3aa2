import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseConfidence, decideLook } from './look.ts'

const STATE = {
  ready: 0,
  begun: 0,
  underWay: 0,
  open: 0,
  looks: 0,
  lookedCount: 0,
  isPhaseOver: false,
}

it.each`
  state                                                       | look       | because
  ${{ ready: 19 }}                                            | ${'None'}  | ${'twenty are needed'}
  ${{ ready: 20 }}                                            | ${'Early'} | ${'twenty are there'}
  ${{ ready: 5, begun: 15 }}                                  | ${'Early'} | ${'those that do not come back may be silent'}
  ${{ ready: 39, lookedCount: 20, looks: 1 }}                 | ${'None'}  | ${'it is less than twice as many'}
  ${{ ready: 40, lookedCount: 20, looks: 1 }}                 | ${'Early'} | ${'it is twice as many'}
  ${{ ready: 4_000, lookedCount: 20, looks: 5 }}              | ${'None'}  | ${'five early looks were had'}
  ${{ ready: 40, isPhaseOver: true }}                         | ${'Last'}  | ${'all are ready'}
  ${{ ready: 80, underWay: 20, isPhaseOver: true }}           | ${'Last'}  | ${'four fifths are ready'}
  ${{ ready: 79, underWay: 21, isPhaseOver: true, looks: 5 }} | ${'None'}  | ${'more windows will be over'}
  ${{ ready: 10, open: 10, isPhaseOver: true }}               | ${'None'}  | ${'there may be enough with those that have yet to take it'}
  ${{ ready: 10, open: 9, isPhaseOver: true }}                | ${'Last'}  | ${'there will never be enough'}
  ${{ isPhaseOver: true }}                                    | ${'Last'}  | ${'nobody takes it any more'}
`('decides $look, as $because', ({ state, look }) => {
  expect(decideLook({ ...STATE, ...(state as object) })).toBe(look)
})

describe('the chance of a false alarm', () => {
  it('is shared by all looks and never above what the confidence leaves', () => {
    const confidences = fc.double({ min: 80, max: 99.9, noNaN: true })
    fc.assert(
      fc.property(confidences, fc.integer({ min: 0, max: 5 }), (confidence, early) => {
        const levels = Array.from(
          { length: early },
          (_, looks) => 100 - chooseConfidence('Early', confidence, looks),
        )
        const last = 100 - chooseConfidence('Last', confidence, early)
        const sum = levels.reduce((total, level) => total + level, last)
        expect(sum).toBeLessThanOrEqual(100 - confidence + 1e-9)
        expect(last).toBeGreaterThan((100 - confidence) * 0.7)
      }),
    )
  })

  it('is had at most six times, however devices come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5_000 }), { maxLength: 60 }), (arrivals) => {
        let [looks, lookedCount, ready] = [0, 0, 0]
        for (const count of arrivals) {
          ready += count
          if (decideLook({ ...STATE, ready, looks, lookedCount }) !== 'Early') continue
          looks++
          lookedCount = ready
        }
        expect(looks).toBeLessThanOrEqual(5)
      }),
    )
  })
})
