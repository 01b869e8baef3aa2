/** Previews changes of package overrides: the components it would meet, and what would become of their findings. */
import { SEVERITIES } from '../../formats/advisories/model.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { type Confidence, type EvaluatedIdentity, evaluateIdentities } from '../matching/index.ts'
import { type MetComponents, type OverrideChange, previewMeeting } from '../sboms/index.ts'
import { countDecisions } from './decision-counts.ts'
import {
  type FindingChange,
  listFindingChanges,
  type Move,
  listPackageChanges,
} from './finding-changes.ts'
import { MOST_LISTED, MOST_SHOWN_VERSIONS } from './schemas.ts'
import * as store from './store.ts'

type Change = FindingChange<Confidence>
type EvaluatedIdentities = ReadonlyMap<string, EvaluatedIdentity>

export async function previewOverride(ctx: AppContext, change: OverrideChange) {
  const { workspaceId } = change
  const { met, keptByOthers, madeFor } = await previewMeeting(ctx.db, change)
  const evaluated = await evaluate(ctx, met)
  const changes = await listChanges(ctx.db, { workspaceId, met, evaluated })
  const groups = groupAlike(met)
  const componentCount = listComponents(met.filter(({ isApplied }) => isApplied)).length
  return {
    componentCount,
    endingComponentCount: listComponents(met).length - componentCount,
    firmwareVersionCount: new Set(listComponents(met)).size,
    otherOverrideComponentCount: keptByOthers,
    madeFor,
    packageCount: groups.length,
    packages: await shownPackages(ctx.db, groups.slice(0, MOST_LISTED), evaluated),
    ...(await shownChanges(ctx.db, { workspaceId, met, changes })),
  }
}

/** The firmware version of each component. */
function listComponents(met: readonly MetComponents[]): string[] {
  return met.flatMap(({ firmwareVersionIds }) => firmwareVersionIds)
}

function readIdentity({ identification }: MetComponents): PackageIdentity | undefined {
  return 'identity' in identification ? identification.identity : undefined
}

/** The matches of all packages before and after: as stored, else evaluated. */
async function evaluate(
  ctx: AppContext,
  met: readonly MetComponents[],
): Promise<EvaluatedIdentities> {
  const identities = new Map(
    met.flatMap((one) => readIdentity(one) ?? []).map((identity) => [identity.id, identity]),
  )
  const before = met.flatMap(({ packageId }) => packageId ?? [])
  const ids = [...new Set([...before, ...identities.keys()])]
  const stored = await store.listStoredMatches(ctx.db, ids)
  for (const { packageId } of stored) identities.delete(packageId)
  // What an override has just brought is not matched yet.
  for (const { identity } of await store.listUnmatched(ctx.db, ids))
    identities.set(identity.id, identity)
  const missing = await evaluateIdentities(ctx, [...identities.values()])
  return new Map([...stored, ...missing].map((one) => [one.packageId, one]))
}

interface Terms {
  workspaceId: string
  met: readonly MetComponents[]
}

async function listChanges(
  db: Db,
  { workspaceId, met, evaluated }: Terms & { evaluated: EvaluatedIdentities },
): Promise<Change[]> {
  const moves = met
    .map((one): Move => {
      const { firmwareVersionIds, packageId: before } = one
      return { firmwareVersionIds, before, after: readIdentity(one)?.id ?? null }
    })
    .filter(({ before, after }) => before !== after)
  const held = await store.listHeld(db, {
    workspaceId,
    firmwareVersionIds: [...new Set(moves.flatMap((move) => move.firmwareVersionIds))],
    packageIds: [
      ...new Set(moves.flatMap(({ before, after }) => [before ?? [], after ?? []].flat())),
    ],
  })
  const matches = new Map([...evaluated].map(([id, one]) => [id, one.matches]))
  return listFindingChanges(listPackageChanges(moves, held), matches)
}

/** Components of one name and declared version with the same package before and after. */
function groupAlike(met: readonly MetComponents[]): MetComponents[][] {
  const groups = Map.groupBy(met, (one) => {
    const { packageName, declaredVersion, packageId, notMatchedReason } = one
    const after = readIdentity(one)?.id
    return JSON.stringify([packageName, declaredVersion, packageId, notMatchedReason, after])
  })
  const sizeOf = (group: readonly MetComponents[]) => listComponents(group).length
  return [...groups.values()].toSorted((a, b) => sizeOf(b) - sizeOf(a))
}

async function shownPackages(
  db: Db,
  groups: readonly MetComponents[][],
  evaluated: EvaluatedIdentities,
) {
  const before = groups.flatMap((group) => group[0]?.packageId ?? [])
  const stored = await store.listStoredNames(db, before)
  const namesBefore = new Map(stored.map(({ id, names }) => [id, names]))
  const isKnown = (id: string | undefined) => evaluated.get(id ?? '')?.isNamed ?? false
  return groups.flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { packageName, declaredVersion, packageId, notMatchedReason, identification } = first
    const identity = readIdentity(first)
    const components = listComponents(group)
    return {
      packageName,
      version: declaredVersion === '' ? null : declaredVersion,
      componentCount: components.length,
      firmwareVersionCount: new Set(components).size,
      before: {
        names: shownNames(namesBefore.get(packageId ?? '') ?? []),
        isKnown: isKnown(packageId ?? undefined),
        notMatchedReason,
      },
      after: {
        names: shownNames(identity?.pairs ?? []),
        isKnown: isKnown(identity?.id),
        notMatchedReason: identification.notMatchedReason ?? null,
      },
    }
  })
}

function shownNames(names: readonly { key: string; version: string }[]) {
  return names.map(({ key, version }) => ({ key, version }))
}

async function shownChanges(
  db: Db,
  { workspaceId, met, changes }: Terms & { changes: readonly Change[] },
) {
  const ids = [...new Set(changes.map(({ vulnerabilityId }) => vulnerabilityId))]
  const ratings = new Map((await store.listRatings(db, ids)).map((rating) => [rating.id, rating]))
  const kinds = Map.groupBy(worstFirst(changes, ratings), classifyChange)
  const lost = kinds.get('disappearing') ?? []
  const decisions = await store.listDecisions(db, workspaceId, [
    ...new Set(lost.map(({ packageId }) => packageId)),
  ])
  const shown = (['appearing', 'disappearing', 'changing'] as const).map(
    (kind) => [kind, (kinds.get(kind) ?? []).slice(0, MOST_LISTED)] as const,
  )
  const versions = await store.listShownVersions(db, workspaceId, [
    ...new Set(shown.flatMap(([, rows]) => rows.flatMap(listNewest))),
  ])
  const names = indexNames(met)
  const show = (kind: Kind) =>
    (shown.find(([one]) => one === kind)?.[1] ?? []).flatMap((change) => {
      const rating = ratings.get(change.vulnerabilityId)
      const name = names.get(change.packageId)
      return rating && name
        ? { change, shown: shownChange(change, { rating, name, versions }) }
        : []
    })
  const count = (kind: Kind) =>
    (kinds.get(kind) ?? []).reduce((sum, { firmwareVersionCount }) => sum + firmwareVersionCount, 0)
  return {
    findingCounts: {
      appearing: count('appearing'),
      disappearing: count('disappearing'),
      changing: count('changing'),
      staying: count('staying'),
    },
    disappearingDecisions: countDecisions(lost, decisions),
    appearing: show('appearing').map(({ shown: row }) => row),
    disappearing: show('disappearing').map(({ change, shown: row }) => ({
      ...row,
      decisions: countDecisions([change], decisions),
    })),
    changing: show('changing').map(({ shown: row }) => row),
  }
}

type Kind = 'appearing' | 'disappearing' | 'changing' | 'staying'

function classifyChange({ before, after }: Change): Kind {
  if (before === null) return 'appearing'
  if (after === null) return 'disappearing'
  return before === after ? 'staying' : 'changing'
}

/** In the order of risk of the lists of findings. */
function worstFirst(
  changes: readonly Change[],
  ratings: ReadonlyMap<string, store.Rating>,
): Change[] {
  const ranks = new Map(
    [...ratings].map(([id, { isExploited, severity, epssScore, cvssScore }]) => {
      const rank = [isExploited ? 1 : 0, -SEVERITIES.indexOf(severity)]
      return [id, [...rank, epssScore ?? -1, cvssScore ?? -1]]
    }),
  )
  return changes.toSorted((a, b) => {
    const [own, other] = [ranks.get(a.vulnerabilityId) ?? [], ranks.get(b.vulnerabilityId) ?? []]
    const at = own.findIndex((value, index) => value !== other[index])
    if (at !== -1) return (other[at] ?? 0) - (own[at] ?? 0)
    return a.vulnerabilityId < b.vulnerabilityId ? -1 : 1
  })
}

/** Ids are ordered by the time at which they were made. */
function listNewest({ firmwareVersionIds }: Change): string[] {
  return [...new Set(firmwareVersionIds.flat())].toSorted().slice(-MOST_SHOWN_VERSIONS).toReversed()
}

/** Packages are called as their components are declared. */
function indexNames(met: readonly MetComponents[]) {
  const names = new Map<string, { packageName: string; version: string | null }>()
  for (const one of met) {
    const { packageName, declaredVersion, packageId } = one
    const name = { packageName, version: declaredVersion === '' ? null : declaredVersion }
    for (const id of [packageId, readIdentity(one)?.id])
      if (typeof id === 'string' && !names.has(id)) names.set(id, name)
  }
  return names
}

interface ChangeContext {
  rating: store.Rating
  name: { packageName: string; version: string | null }
  versions: readonly store.ShownVersion[]
}

function shownChange(change: Change, { rating, name, versions }: ChangeContext) {
  const { id: cveId, ...rated } = rating
  const newest = listNewest(change)
  return {
    cveId,
    ...rated,
    ...name,
    confidenceBefore: change.before,
    confidenceAfter: change.after,
    firmwareVersionCount: change.firmwareVersionCount,
    firmwareVersions: newest.flatMap((id) => versions.find((version) => version.id === id) ?? []),
  }
}
