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

/** Of the component of the first finding, which most devices run. */
export async function readFleetLine(db: Db, { workspaceId, vulnerabilityId, ...found }: Found) {
  const component = found.findings[0]?.component.name ?? ''
  const findings = found.findings.filter((one) => one.component.name === component)
  const packageIds = [...new Set(findings.map(({ packageId }) => packageId))]
  const known = await listEvidence(db, vulnerabilityId, packageIds.slice(0, MOST_PACKAGES))
  const all = known.flatMap(({ evidence }) => evidence)
  const evidence = distinct(all).slice(0, MOST_EVIDENCE).map(describeEvidence)
  const scheme = all.find(({ verdict }) => verdict === 'affected')?.comparator
  if (!scheme) return { ...NOTHING_FOUND, evidence }
  const versions = listPlaced({ findings, fixed: found.fixed, component }, known)
  const line = drawFleetLine(await listAffected(db, all), {
    scheme,
    affected: versions.flatMap(({ isFixed, at }) => (isFixed ? [] : (at ?? []))),
    fixed: versions.flatMap(({ isFixed, at }) => (isFixed ? (at ?? []) : [])),
  })
  if (!line) return { ...NOTHING_FOUND, evidence }
  const ids = versions.map(({ firmwareVersion }) => firmwareVersion.id)
  const { placeOf, fixedVersions, ...drawn } = line
  const firmwares = placeVersions(versions, placeOf, await countRunning(db, workspaceId, ids))
  return { versionLine: { component, ...drawn, firmwares }, evidence, fixedVersions }
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
  {
    findings,
    fixed,
    component,
  }: Pick<Found, 'findings' | 'fixed'> & {
    component: string
  },
  known: readonly PackageEvidence[],
): OwnVersion[] {
  const compared = new Map(
    known.map(({ packageId, evidence }) => [
      packageId,
      evidence.find(({ verdict }) => verdict === 'affected')?.version,
    ]),
  )
  const holding = fixed.filter((one) => one.component?.name === component)
  return [
    ...findings.map(({ firmwareVersion, packageId, component: { version } }) => ({
      firmwareVersion,
      isFixed: false,
      at: compared.get(packageId) ?? version,
    })),
    ...holding.map(({ firmwareVersion, component: own }) => ({
      firmwareVersion,
      isFixed: true,
      at: own?.version ?? null,
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
