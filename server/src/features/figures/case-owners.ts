/** Whom cases belonged to when they counted. */
import { findCaseDay, nameCase } from './due.ts'
import type { CaseDay, Facts } from './facts.ts'
import type { CaseOwner, FigureCase, OwnedCase } from './figure.ts'

type KeptOwners = Pick<Facts, 'caseDays' | 'caseDaysSince'>

export const isAnythingOwned = ({ caseDays }: KeptOwners): boolean =>
  [...caseDays.values()].some((days) => days.some(({ owners }) => owners.length > 0))

/**
 * Each owner under its last name, and a team that was removed and made again as the last one, so that neither another name nor another
 * id parts what belongs together.
 */
export function uniteOwners(caseDays: Facts['caseDays']): Map<string, CaseDay[]> {
  const inOrder = [...caseDays.values()]
    .flat()
    .toSorted((a, b) => a.sinceDay.localeCompare(b.sinceDay))
    .flatMap(({ owners }) => owners)
  const nameOwner = ({ type, name }: CaseOwner) => `${type} ${name}`
  const byId = new Map(inOrder.map((owner) => [owner.id, owner]))
  const byName = new Map(inOrder.map((owner) => [nameOwner(owner), owner]))
  const unite = (owner: CaseOwner) => {
    const last = byId.get(owner.id) ?? owner
    return byName.get(nameOwner(last)) ?? last
  }
  return new Map(
    [...caseDays].map(([name, days]) => [
      name,
      days.map((day) => ({ ...day, owners: day.owners.map(unite) })),
    ]),
  )
}

/** A case of the whole fleet belongs to the owners in all firmwares. */
export function addOwnersThen(kept: KeptOwners, cases: readonly FigureCase[]): OwnedCase[] {
  const isOfFleet = cases.some(({ firmwareId }) => firmwareId === null)
  const byVulnerability = Map.groupBy(isOfFleet ? kept.caseDays : [], ([name]) =>
    name.slice(name.indexOf(' ') + 1),
  )
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
