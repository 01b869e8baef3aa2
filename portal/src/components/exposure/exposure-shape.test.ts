import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../../server/test/property-runs.ts'
import { LAYERS } from './exposure-rows.ts'
import { drawExposure } from './exposure-shape.ts'

const DAY_MS = 86_400_000

/** The last days, each with as many devices by severity, worst first. */
const givenRows = (days: readonly (readonly number[])[]) =>
  days.map((devices, index) => ({
    at: new Date(Date.now() - (days.length - index) * DAY_MS),
    total: devices.reduce((sum, count) => sum + count, 0),
    counts: Object.fromEntries(LAYERS.map(({ id }, place) => [id, devices[place] ?? 0])),
  }))

/** Where the area begins and ends on its last day: it goes along its upper edge, and back along its lower one. */
function readEdges(path: string): { upper: number; lower: number } {
  const [, upper, lower] = /,([\d.]+)L[\d.]+,([\d.]+)/.exec(path) ?? []
  return { upper: Number(upper), lower: Number(lower) }
}

it('draws each severity as long as it has devices, worst at the axis', () => {
  const day = fc.array(fc.nat(500), { minLength: LAYERS.length, maxLength: LAYERS.length })
  fc.assert(
    fc.property(fc.tuple(day, day, day), (days) => {
      const rows = givenRows(days)

      const { areas, y } = drawExposure(rows, LAYERS, { width: 800, left: 112, days: 30 })

      let below = 0
      for (const [place, { id }] of LAYERS.entries()) {
        const count = rows.at(-1)?.counts[id] ?? 0
        const { upper, lower } = readEdges(areas[place]?.path ?? '')
        expect(areas[place]?.id).toBe(id)
        expect(lower).toBeCloseTo(y.placeOf(below), 1)
        expect(upper).toBeCloseTo(y.placeOf(below + count), 1)
        below += count
      }
    }),
    { numRuns: propertyRuns(100) },
  )
})
