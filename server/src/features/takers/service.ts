/** Who can take a firmware version, above all one that holds the fix of a vulnerability. */
import { addDays } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { getFirmwareVersion, listMarks, UNKNOWN_MARK } from '../firmware/index.ts'
import { listVersionsWithActiveFinding } from '../reports/index.ts'
import { listFixes } from '../vulnerabilities/index.ts'
import {
  findClientLimitation,
  type FirmwarePart,
  listParts,
  listWithoutArtifact,
} from '../deployments/index.ts'
import * as store from './store.ts'

/** Who said nothing for longer takes an update only when it comes back. */
const SILENT_AFTER_DAYS = 7

type Fix = Awaited<ReturnType<typeof listFixes>>['fixes'][number]

interface OfVersion {
  workspaceId: string
  firmwareVersionId: string
}

/** The devices that report another version of the same firmware. */
export async function listVersionTakers(ctx: AppContext, named: OfVersion) {
  const { id } = await getFirmwareVersion(ctx.db, named.workspaceId, named.firmwareVersionId)
  const asked = { ...named, firmwareVersionId: id }
  const others = await store.listOtherVersionIds(ctx.db, asked.workspaceId, id)
  const groups = await listGroups(ctx, asked.workspaceId, others)
  const readiness = await readReadiness(ctx, asked.workspaceId, [id])
  return describeTakers(readiness, id, groups)
}

const MOST_DEPLOYMENTS = 50

/** What was deployed of the version, and to whom. */
export async function listVersionDeployments(ctx: AppContext, named: OfVersion) {
  const { id } = await getFirmwareVersion(ctx.db, named.workspaceId, named.firmwareVersionId)
  const asked = { ...named, firmwareVersionId: id }
  const rows = await store.listVersionDeployments(ctx.db, asked, MOST_DEPLOYMENTS + 1)
  return {
    deployments: rows.slice(0, MOST_DEPLOYMENTS),
    hasMore: rows.length > MOST_DEPLOYMENTS,
  }
}

/** For each release line that has a vulnerability on devices: the newest version with the fix, and who can take it. */
export async function listVulnerabilityFixes(
  ctx: AppContext,
  asked: { workspaceId: string; named: string },
) {
  const { workspaceId } = asked
  const { cveId, fixes: all } = await listFixes(ctx.db, asked)
  const affected = await listVersionsWithActiveFinding(ctx, { workspaceId, cveIds: [cveId] })
  const groups = await listGroups(ctx, workspaceId, affected)
  const chosen = await chooseFixes(ctx, workspaceId, { all, groups })
  const ids = chosen.map(({ fix }) => fix.firmwareVersion.id)
  const marks = await listMarks(ctx, workspaceId, ids)
  const readiness = await readReadiness(ctx, workspaceId, ids)
  const described = chosen.map(({ fix: { firmwareVersion, component }, takers }) => {
    const { id } = firmwareVersion
    return {
      firmwareVersion: { ...firmwareVersion, mark: marks.get(id) ?? UNKNOWN_MARK },
      component,
      ...describeTakers(readiness, id, takers),
    }
  })
  return { fixes: described.toSorted((a, b) => b.deviceCount - a.deviceCount) }
}

function listGroups(ctx: AppContext, workspaceId: string, versionIds: readonly string[]) {
  const heardSince = addDays(ctx.now(), -SILENT_AFTER_DAYS)
  return store.listTakerGroups(ctx.db, workspaceId, { versionIds, heardSince })
}

interface ChosenFix {
  fix: Fix
  takers: store.TakerGroup[]
}

/**
 * Chooses for the devices of each release line the newest fixed version of the line, where it has none the newest of the firmware: one
 * that devices could install, if there is one.
 */
async function chooseFixes(
  ctx: AppContext,
  workspaceId: string,
  { all, groups }: { all: readonly Fix[]; groups: readonly store.TakerGroup[] },
): Promise<ChosenFix[]> {
  const ids = all.map(({ firmwareVersion: { id } }) => id)
  const without = new Set(await listWithoutArtifact(ctx.db, workspaceId, ids))
  const lined = await store.listLineIds(ctx.db, workspaceId, ids)
  const lines = new Map(lined.map(({ id, lineId }) => [id, lineId]))
  const choose = (fixes: readonly Fix[]) =>
    fixes.find(({ firmwareVersion: { id } }) => !without.has(id)) ?? fixes[0]
  const chooseOfLine = (fixes: readonly Fix[], lineId: string | null) =>
    choose(fixes.filter(({ firmwareVersion: { id } }) => (lines.get(id) ?? null) === lineId)) ??
    choose(fixes)
  const byFirmware = Map.groupBy(all, ({ firmwareVersion }) => firmwareVersion.firmware.id)
  return [...byFirmware].flatMap(([firmwareId, own]) => {
    const running = groups.filter((group) => group.firmwareId === firmwareId)
    if (running.length === 0) return [{ fix: choose(own), takers: running }].filter(isChosen)
    const byFix = Map.groupBy(running, ({ lineId }) => chooseOfLine(own, lineId))
    return [...byFix].map(([fix, takers]) => ({ fix, takers })).filter(isChosen)
  })
}

const isChosen = (one: { fix: Fix | undefined; takers: store.TakerGroup[] }): one is ChosenFix =>
  one.fix !== undefined

/** Reads for all versions at once what decides whether devices can take them. */
async function readReadiness({ db }: AppContext, workspaceId: string, ids: readonly string[]) {
  return {
    parts: await listParts(db, workspaceId, ids),
    without: await listWithoutArtifact(db, workspaceId, ids),
    deploying: await store.listDeployingCohorts(db, workspaceId, ids),
  }
}

function describeTakers(
  { parts, without, deploying }: Awaited<ReturnType<typeof readReadiness>>,
  firmwareVersionId: string,
  groups: readonly store.TakerGroup[],
) {
  const ownParts = parts.filter(({ id }) => id === firmwareVersionId)
  const own = deploying.filter((one) => one.firmwareVersionId === firmwareVersionId)
  const isUnderWay = new Set(own.map(({ cohortId }) => cohortId))
  const cohorts = [...Map.groupBy(groups, ({ cohortId }) => cohortId)].map(([id, members]) => ({
    deploymentCohort: id === null ? null : { id, name: members[0]?.cohortName ?? '' },
    isUnderWay: id !== null && isUnderWay.has(id),
    ...countTakers(members, ownParts),
  }))
  return {
    hasArtifact: !without.includes(firmwareVersionId),
    deviceCount: sumDevices(groups),
    cohorts: cohorts.toSorted((a, b) => b.readyDeviceCount - a.readyDeviceCount),
  }
}

/** Each device once: what its client cannot install, it does not take either when it comes back. */
function countTakers(groups: readonly store.TakerGroup[], parts: readonly FirmwarePart[]) {
  const isLimited = ({ door, client }: store.TakerGroup) =>
    door === 'Ddi' && findClientLimitation(client, parts) !== undefined
  const able = groups.filter((group) => !isLimited(group))
  const inCohort = able.filter(({ cohortId }) => cohortId !== null)
  return {
    deviceCount: sumDevices(groups),
    readyDeviceCount: sumDevices(inCohort.filter(({ isSilent }) => !isSilent)),
    silentDeviceCount: sumDevices(able.filter(({ isSilent }) => isSilent)),
    limitedDeviceCount: sumDevices(groups.filter(isLimited)),
  }
}

const sumDevices = (groups: readonly store.TakerGroup[]) =>
  groups.reduce((sum, { deviceCount }) => sum + deviceCount, 0)
