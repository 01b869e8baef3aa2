/** Whom cases belonged to when they counted. */
import { findCaseDay, nameCase } from './due.ts'
import type { Facts } from './facts.ts'
import type { FigureCase, OwnedCase } from './figure.ts'

type KeptOwners = Pick<Facts, 'caseDays' | 'caseDaysSince'>

export const isAnythingOwned = ({ caseDays }: KeptOwners): boolean =>
  [...caseDays.values()].some((days) => days.some(({ owners }) => owners.length > 0))

/** A case of the whole fleet belongs to the owners in all firmwares. */
export function addOwnersThen(kept: KeptOwners, cases: readonly FigureCase[]): OwnedCase[] {
  const byVulnerability = Map.groupBy(kept.caseDays, ([name]) => name.slice(name.indexOf(' ') + 1))
  return cases.map((one) => {
    const { firmwareId, vulnerabilityId, at } = one
    const named =
      firmwareId === null
        ? (byVulnerability.get(vulnerabilityId) ?? []).map(([, days]) => days)
        : [kept.caseDays.get(nameCase({ firmwareId, vulnerabilityId })) ?? []]
    const owners = named.flatMap((days) => findCaseDay(days, at)?.owners ?? [])
    const isKnown = owners.length > 0 || at >= kept.caseDaysSince
    return {
      ...one,
      owners: isKnown ? [...new Map(owners.map((each) => [each.id, each])).values()] : null,
    }
  })
}
