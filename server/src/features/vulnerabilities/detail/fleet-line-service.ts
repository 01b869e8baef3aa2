/** The versions of a workspace on the axis of what sources say is affected. */
import type { Db } from '../../../platform/db/connect.ts'
import { describeEvidence } from '../../findings/index.ts'
import { drawFleetLine, type Evidence, type FleetLine } from '../../matching/index.ts'
import { countRunning, listAffected, listEvidence, type PackageEvidence } from './evidence-store.ts'
import type { FixedIn, FoundIn, NamedVersion } from './store.ts'

/** Packages are versions of one component: more of them are not looked at. */
const MOST_PACKAGES = 200
const MOST_EVIDENCE = 50

interface Found {
  workspaceId: string
  vulnerabilityId: string
  findings: readonly FoundIn[]
  fixed: readonly FixedIn[]
}

export const NOTHING_FOUND = { versionLine: null, evidence: [], fixedVersions: [] }

/**
 * Of the component of the first finding, which most devices run, and of those that records know by the same name: a kernel of two
 * recipes is one.
 */
export async function readFleetLine(db: Db, { workspaceId, vulnerabilityId, ...found }: Found) {
  const packageIds = [...new Set(found.findings.map(({ packageId }) => packageId))]
  const all = await listEvidence(db, vulnerabilityId, packageIds.slice(0, MOST_PACKAGES))
  const known = listAlike(all)
  const compared = known.flatMap((one) => one.evidence)
  const affected = await listAffected(db, compared)
  const evidence = distinct(compared)
    .slice(0, MOST_EVIDENCE)
    .map((one) => describeEvidence(one, affected))
  const scheme = findAffected(known[0])?.comparator
  if (!scheme) return { ...NOTHING_FOUND, evidence }
  const versions = listPlaced(found, known)
  const line = drawFleetLine(affected, {
    scheme,
    affected: versions.flatMap(({ isFixed, at }) => (isFixed ? [] : (at ?? []))),
    fixed: versions.flatMap(({ isFixed, at }) => (isFixed ? (at ?? []) : [])),
  })
  if (!line) return { ...NOTHING_FOUND, evidence }
  const ids = versions.map(({ firmwareVersion }) => firmwareVersion.id)
  const { placeOf, fixedVersions, ...drawn } = line
  const firmwares = placeVersions(versions, placeOf, await countRunning(db, workspaceId, ids))
  const component = found.findings[0]?.component.name ?? ''
  return { versionLine: { component, ...drawn, firmwares }, evidence, fixedVersions }
}

const findAffected = (one: PackageEvidence | undefined) =>
  one?.evidence.find(({ verdict }) => verdict === 'affected')

/** The first package, and those that met the same entry of a record in the same ordering. */
function listAlike(all: readonly PackageEvidence[]): PackageEvidence[] {
  const scheme = findAffected(all[0])?.comparator
  const keys = new Set(all[0]?.evidence.map(({ key }) => key))
  return all.filter(
    (one) =>
      findAffected(one)?.comparator === scheme && one.evidence.some(({ key }) => keys.has(key)),
  )
}

/** What was compared for several versions, once: the version that most devices run stands for them. */
function distinct(all: readonly Evidence[]): Evidence[] {
  const ranges = new Map<string, Evidence>()
  for (const one of all) {
    const { source, advisoryId, key, range, verdict } = one
    const text = JSON.stringify([source, advisoryId, key, range, verdict])
    if (!ranges.has(text)) ranges.set(text, one)
  }
  return [...ranges.values()]
}

interface OwnVersion {
  firmwareVersion: NamedVersion
  isFixed: boolean
  /** The version of the component, as it was compared. */
  at: string | null
}

/** A firmware version may hold the component in several versions: it stands at each that is affected. */
function listPlaced(
  { findings, fixed }: Pick<Found, 'findings' | 'fixed'>,
  known: readonly PackageEvidence[],
): OwnVersion[] {
  const compared = new Map(known.map((one) => [one.packageId, findAffected(one)?.version]))
  const own = findings.filter(({ packageId }) => compared.has(packageId))
  const names = new Set(own.map(({ component }) => component.name))
  const holding = fixed.filter(({ component }) => component && names.has(component.name))
  return [
    ...own.map(({ firmwareVersion, packageId, component: { version } }) => ({
      firmwareVersion,
      isFixed: false,
      at: compared.get(packageId) ?? version,
    })),
    ...holding.map(({ firmwareVersion, component }) => ({
      firmwareVersion,
      isFixed: true,
      at: component?.version ?? null,
    })),
  ]
}

function placeVersions(
  versions: readonly OwnVersion[],
  placeOf: FleetLine['placeOf'],
  running: ReadonlyMap<string, number>,
) {
  const byFirmware = Map.groupBy(versions, ({ firmwareVersion }) => firmwareVersion.firmware.id)
  return [...byFirmware.values()].map((own) => {
    const at = Map.groupBy(own, (one) => (one.at === null ? undefined : placeOf(one.at)))
    const places = [...at].flatMap(([stop, those]) => {
      if (stop === undefined) return []
      const isFixed = those.every((one) => one.isFixed)
      const firmwareVersions = listReferences(those)
      const deviceCount = firmwareVersions.reduce((sum, { id }) => sum + (running.get(id) ?? 0), 0)
      return [{ stop, isFixed, deviceCount, firmwareVersions }]
    })
    return {
      firmware: own[0]?.firmwareVersion.firmware ?? NO_FIRMWARE,
      places: places.toSorted((a, b) => a.stop - b.stop),
      unplaced: listReferences(at.get(undefined) ?? []),
    }
  })
}

const NO_FIRMWARE = { id: '', slug: '', name: '' }

/** Each version once. */
function listReferences(versions: readonly OwnVersion[]) {
  const named = versions.map(({ firmwareVersion: { id, name } }) => [id, { id, name }] as const)
  return [...new Map(named).values()]
}
