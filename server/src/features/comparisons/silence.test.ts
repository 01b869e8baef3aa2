import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import { type Contact, measureSilence } from './silence.ts'

const NOW = new Date('2026-03-01T00:00:00Z')
const WINDOW_SECONDS = 6 * 3_600
const hoursAgo = (hours: number) => addMs(NOW, -hours * HOUR_MS)

const updated = (heard: number, began = 8): Contact => ({
  deviceId: `updated ${heard} ${began}`,
  isUpdated: true,
  at: hoursAgo(began),
  heardAt: hoursAgo(heard),
})
const waiting = (heard: number): Contact => ({
  deviceId: `waiting ${heard}`,
  isUpdated: false,
  at: null,
  heardAt: hoursAgo(heard),
})
const judge = (contacts: readonly Contact[]) =>
  measureSilence(contacts, { now: NOW, windowSeconds: WINDOW_SECONDS })
const countSilent = (devices: readonly { isSilent: boolean }[]) =>
  devices.filter(({ isSilent }) => isSilent).length

describe('a device', () => {
  it.each`
    heard  | isSilent
    ${0}   | ${false}
    ${2.9} | ${false}
    ${3}   | ${true}
    ${8}   | ${true}
  `(
    'that was heard of $heard hours ago is silent: $isSilent, as half the window is three',
    ({ heard, isSilent }) => {
      const found = judge([updated(heard as number), waiting(1)])
      expect(found.updated.map((one) => one.isSilent)).toEqual([isSilent])
    },
  )

  it('that was updated a moment ago tells nothing yet, and is counted', () => {
    const found = judge([updated(2, 2), updated(0, 4), waiting(1)])
    expect(found.updated).toHaveLength(1)
    expect(found.earlyCount).toBe(1)
  })

  it('that waits and was gone before the first update is left out', () => {
    expect(judge([updated(0, 8), waiting(13), waiting(15)]).waiting).toHaveLength(1)
  })
})

describe('devices that report rarely', () => {
  it('are silent only after longer than those that wait need between two reports', () => {
    // Once in eight hours.
    const others = Array.from({ length: 40 }, (_, index) => waiting((8 * (index + 0.5)) / 40))
    const found = judge([updated(7.9, 12), updated(12, 12), ...others])
    expect(found.afterSeconds).toBeGreaterThan(8 * 3_600)
    expect(found.updated).toEqual([
      { deviceId: 'updated 12 12', isSilent: true },
      { deviceId: 'updated 7.9 12', isSilent: false },
    ])
    expect(countSilent(found.waiting)).toBe(0)
  })
})

const contact = fc.record({
  deviceId: fc.uuid(),
  isUpdated: fc.boolean(),
  began: fc.double({ min: 0, max: 100, noNaN: true }),
  heard: fc.double({ min: 0, max: 100, noNaN: true }),
})
const contacts = fc.uniqueArray(contact, { selector: ({ deviceId }) => deviceId }).map((all) =>
  all.map(({ deviceId, isUpdated, began, heard }): Contact => ({
    deviceId,
    isUpdated,
    at: isUpdated ? hoursAgo(began) : null,
    heardAt: hoursAgo(isUpdated ? Math.min(began, heard) : heard),
  })),
)

describe('all devices', () => {
  it('are told or counted as too early, in any order alike', () => {
    fc.assert(
      fc.property(contacts, (all) => {
        const found = judge(all)
        expect(found.updated.length + found.earlyCount).toBe(
          all.filter(({ isUpdated }) => isUpdated).length,
        )
        const sides = (one: typeof found) => [new Set(one.updated), new Set(one.waiting)]
        expect(sides(judge(all.toReversed()))).toEqual(sides(found))
      }),
    )
  })

  it('are at most as silent when one of them was heard of now', () => {
    fc.assert(
      fc.property(contacts, (all) => {
        const first = all.find(({ isUpdated }) => isUpdated)
        if (!first) return
        const heard = all.map((one) => (one === first ? { ...one, heardAt: NOW } : one))
        expect(countSilent(judge(heard).updated)).toBeLessThanOrEqual(
          countSilent(judge(all).updated),
        )
      }),
    )
  })
})
