import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import { calculate } from './judging-process.ts'
import { listSignals, readComparison } from './plan.ts'
import {
  addDevices,
  askJudge,
  describeSignals,
  orderDevices,
  startMeasuring,
} from './signal-results.ts'
import { measureSilence } from './silence.ts'
import { findMeasure } from './signals-service.ts'
import { placeDevices, splitDevices } from './windows.ts'

const WINDOW_HOURS = 12
const PLAN = readComparison(
  {
    windowSeconds: WINDOW_HOURS * 3_600,
    metrics: [{ name: 'memory', worse: 'Higher' }],
    builtIn: ['Restarts'],
  },
  '',
)
const BEGIN = new Date('2026-03-01T00:00:00Z')
const NOW = addMs(BEGIN, 3 * WINDOW_HOURS * HOUR_MS)

interface Drawn {
  id: string
  /** Of an updated one, minutes after the beginning; null: it waits. */
  minutes: number | null
  /** By hour; undefined: it reported nothing. */
  values: readonly (number | undefined)[]
}

/** What the service tells of the devices, in the order in which they are listed. */
async function compare(devices: readonly Drawn[]) {
  const { windowSeconds, confidencePercent } = PLAN
  const updated = devices.flatMap(({ id, minutes }) =>
    minutes === null ? [] : [{ deviceId: id, at: addMs(BEGIN, minutes * 60_000) }],
  )
  const waitingIds = devices.flatMap(({ id, minutes }) => (minutes === null ? id : []))
  const contacts = devices.map(({ id, minutes }) => ({
    deviceId: id,
    isUpdated: minutes !== null,
    at: minutes === null ? null : addMs(BEGIN, minutes * 60_000),
    heardAt: NOW,
  }))
  const silence = measureSilence(contacts, { now: NOW, windowSeconds })
  const values = new Map(devices.map((device) => [device.id, device.values]))
  const valuesOf = (id: string) => (begin: number) => {
    const all = values.get(id) ?? []
    return all[Math.abs(Math.round((begin - BEGIN.getTime()) / HOUR_MS)) % all.length]
  }
  /** Nothing happens fewer times than never. */
  const countsOf = (id: string) => (begin: number) => {
    const counted = valuesOf(id)(begin)
    return counted === undefined ? undefined : Math.abs(counted)
  }
  const signals = listSignals(PLAN).map((signal) => {
    const measure = findMeasure(signal)
    const found = startMeasuring(signal, measure)
    for (const { devices: part, span } of splitDevices(
      placeDevices(updated, waitingIds),
      windowSeconds,
    ))
      addDevices(found, part, {
        window: { span, windowSeconds },
        silentIds: new Set(),
        valuesOf: measure === 'Count' ? countsOf : valuesOf,
      })
    return orderDevices(found)
  })
  const asked = askJudge(
    { signals, silence },
    { confidencePercent, seed: 1, hasWaiting: waitingIds.length > 0 },
  )
  const judge = { db: undefined as never, write: () => Promise.resolve() }
  return describeSignals({ signals, silence }, await calculate(judge, asked), PLAN)
}

const NO_VALUES = [undefined, Number.NaN, Infinity, -Infinity]
const LAST_VALUES = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 1e60, -1e60, 1e-60]
const odd = fc.constantFrom(...NO_VALUES, ...LAST_VALUES)
const value = fc.oneof({ weight: 8, arbitrary: fc.nat({ max: 20 }) }, { weight: 1, arbitrary: odd })
const drawn = (minutes: fc.Arbitrary<number | null>) =>
  fc.array(fc.record({ minutes, values: fc.array(value, { minLength: 3, maxLength: 9 }) }), {
    minLength: 20,
    maxLength: 26,
  })
const fleet = fc
  .tuple(drawn(fc.nat({ max: 600 })), drawn(fc.constant(null)))
  .map(([updated, waiting]) =>
    [...updated, ...waiting].map((device, index): Drawn => ({ ...device, id: `device-${index}` })),
  )

describe('what is told of devices', () => {
  it('does not depend on the order in which they are read, whatever values they report', async () => {
    await fc.assert(
      fc.asyncProperty(
        fleet.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        async ([all, shuffled]) => {
          // Who waits is placed by the order of the list, which the service draws once for all: it is the same here.
          const waiting = all.filter(({ minutes }) => minutes === null)
          const others = shuffled.filter(({ minutes }) => minutes !== null)
          const told = (results: Awaited<ReturnType<typeof compare>>) =>
            results.map(({ verdict, pValue, updated, waiting: rest }) => ({
              verdict,
              pValue: pValue?.toFixed(6),
              counts: [updated.deviceCount, rest.deviceCount],
            }))
          expect(told(await compare([...others, ...waiting]))).toEqual(told(await compare(all)))
        },
      ),
      { numRuns: 30 },
    )
  })

  it('is never a number that is none, and each device is compared or counted', async () => {
    await fc.assert(
      fc.asyncProperty(fleet, async (all) => {
        const results = await compare(all)
        for (const { updated, waiting, ...result } of results) {
          expect(updated.deviceCount + updated.withoutValuesCount).toBe(
            all.filter(({ minutes }) => minutes !== null).length,
          )
          expect(waiting.deviceCount + waiting.withoutValuesCount).toBe(
            all.filter(({ minutes }) => minutes === null).length,
          )
          const numbers = [result.pValue, result.differencePercent, result.smallestPercent]
          for (const number of numbers)
            expect(number === null || Number.isFinite(number)).toBe(true)
          expect(result.detail).not.toMatch(/NaN|Infinity|undefined/)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('says with each pass what would not have been seen', async () => {
    const all = Array.from({ length: 60 }, (_, index): Drawn => ({
      id: `device-${index}`,
      minutes: index < 30 ? index : null,
      values: [0],
    }))
    const results = await compare(all)
    for (const { verdict, detail } of results)
      expect([verdict, detail.includes('seen')]).toEqual(['NotWorse', true])
    const restarts = results.find(({ name }) => name === 'Restarts')
    expect(restarts).toMatchObject({ isBlind: true, smallestPercent: null })
    expect(restarts?.smallestDevices).toBeGreaterThan(7)
  })
})
