/** Targets and owners of cases by day, beside a naive walk hour by hour over what held then. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addDays, addMs, HOUR_MS } from '../../formats/instants.ts'
import { addOwnersThen, uniteOwners } from './case-owners.ts'
import { findDue, nameCase } from './due.ts'
import type { Case, CaseDay } from './facts.ts'

const FIRST = new Date('2026-03-01T00:00:00Z')
const LENGTH = 40
const at = (hour: number) => addMs(FIRST, hour * HOUR_MS)
const dayOf = (hour: number) => Math.floor(hour / 24)

interface Held {
  target: number | null
  owner: string | null
}

/** A row where something is not as the day before, as the store writes them. */
function writeDays(held: readonly Held[]): CaseDay[] {
  const same = (one: Held | undefined, other: Held) =>
    (one?.target ?? null) === other.target && (one?.owner ?? null) === other.owner
  return held.flatMap((one, day) => {
    if (same(held[day - 1], one)) return []
    const owners =
      one.owner === null ? [] : [{ type: 'Team' as const, id: one.owner, name: one.owner }]
    const sinceDay = addDays(FIRST, day).toISOString().slice(0, 10)
    return [{ sinceDay, owners, outcome: null, targetDays: one.target }]
  })
}

interface Walked {
  held: readonly Held[]
  detected: number
  decided: number | null
}

/** The first hour at which it is overdue, or at which a decision has met or would have missed its target. */
function walkDue({ held, detected, decided }: Walked): number | null {
  for (let hour = detected; hour < LENGTH * 24; hour++) {
    const target = held[dayOf(hour)]?.target ?? null
    const due = target === null ? Infinity : detected + target * 24
    if (hour >= due) return hour
    if (hour === decided) return due === Infinity ? null : due
  }
  return null
}

const held = fc.array(
  fc.record({
    target: fc.constantFrom(null, 1, 3, 10),
    owner: fc.constantFrom(null, 'Boot', 'Net'),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Each stretch of days has one state. */
const histories = fc
  .tuple(held, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 12, maxLength: 12 }))
  .map(([states, lengths]) =>
    Array.from({ length: LENGTH }, (_, day): Held => {
      let end = 0
      const place = states.findIndex((_state, index) => day < (end += lengths[index] ?? 1))
      return states[place < 0 ? states.length - 1 : place] ?? { target: null, owner: null }
    }),
  )

const caseOf = (detected: number, decided: number | null) =>
  ({
    firmwareId: 'firmware',
    vulnerabilityId: 'CVE-2026-1',
    severity: 'Unknown',
    detectedAt: at(detected),
    decidedAt: decided === null ? null : at(decided),
  }) as Case

it('is due when a walk by the hour finds it overdue first, or by when its decision was wanted', () => {
  fc.assert(
    fc.property(histories, fc.nat(15 * 24), fc.option(fc.nat(20 * 24)), (all, detected, wait) => {
      const decided = wait === null ? null : detected + wait
      const one = caseOf(detected, decided)
      const caseDays = new Map([[nameCase(one), writeDays(all)]])

      const { dueAt } = findDue(one, { targets: [], caseDays })

      const due = walkDue({ held: all, detected, decided })
      // What is due after the end of the walk is not found by it.
      const isSeen = dueAt !== null && dueAt < at(LENGTH * 24)
      const seen = due !== null && due < LENGTH * 24 ? at(due) : null
      expect(isSeen ? dueAt : null).toEqual(seen)
    }),
  )
})

it('belongs to the owner of the day on which it counts', () => {
  fc.assert(
    fc.property(histories, fc.nat(LENGTH * 24 - 1), (all, hour) => {
      const { firmwareId, vulnerabilityId, severity } = caseOf(0, null)
      const counted = { firmwareId, vulnerabilityId, severity, since: FIRST, at: at(hour) }
      const more = { measure: 'Decided', days: null, person: null, outcome: null }
      const kept = {
        caseDays: new Map([[nameCase(counted), writeDays(all)]]),
        caseDaysSince: FIRST,
      }

      const [owned] = addOwnersThen(kept, [{ ...counted, ...more }])

      const owner = all[dayOf(hour)]?.owner ?? null
      expect(owned?.owners?.map(({ name }) => name)).toEqual(owner === null ? [] : [owner])
    }),
  )
})

it('is of one owner, although its team got another name and was made anew', () => {
  const team = (id: string, name: string) => [{ type: 'Team' as const, id, name }]
  const day = (sinceDay: string, owners: CaseDay['owners']) => ({
    sinceDay,
    owners,
    outcome: null,
    targetDays: null,
  })
  const counted = { firmwareId: 'firmware', vulnerabilityId: 'CVE-2026-1', severity: null }
  const days = [
    day('2026-03-01', team('one', 'Boot')),
    day('2026-03-05', team('one', 'System')),
    day('2026-03-09', team('two', 'System')),
  ]
  const caseDays = uniteOwners(new Map([[nameCase(counted), days]]))
  const kept = { caseDays, caseDaysSince: FIRST }
  const more = { measure: 'Decided', since: FIRST, days: null, person: null, outcome: null }

  const owned = addOwnersThen(
    kept,
    [1, 5, 9].map((count) => ({ ...counted, ...more, at: addDays(FIRST, count) })),
  )

  expect(owned.map(({ owners }) => owners)).toEqual(owned.map(() => team('two', 'System')))
})
