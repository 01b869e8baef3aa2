/** What devices run, by firmware and version, from kept counts: no finding is read. */
import type { Db } from '../../../platform/db/connect.ts'
import type { Principal } from '../../auth/index.ts'
import {
  decideMark,
  type GateFacts,
  listSupportNotes,
  type Mark,
  type MarkReader,
  readMarkFacts,
} from '../../firmware/index.ts'
import { countSeverities, listTrendDays } from '../overview/service.ts'
import { listDailyDevices } from '../overview/store.ts'
import {
  type FirmwareVersions,
  isInGroup,
  showFirmware,
  VERSION_GROUPS,
  type VersionGroup,
  type VersionInOverview,
} from './grouping.ts'
import * as store from './store.ts'

/** Versions that nobody registered are listed up to this number; the rest is counted. */
const MOST_UNREGISTERED = 200
const USUAL_LIMIT = 12

export interface ReadFirmwareOverview extends Pick<Principal, 'scopes'> {
  workspaceId: string
  group?: VersionGroup
  /** Versions of each firmware that are listed. */
  limit?: number
}

export async function readFirmwareOverview(
  ctx: MarkReader,
  { workspaceId, scopes, group = 'All', limit = USUAL_LIMIT }: ReadFirmwareOverview,
) {
  const { db } = ctx
  const at = ctx.now()
  const rows = await store.listVersions(db, workspaceId)
  const firmwares = await store.listFirmwareNames(db, workspaceId)
  const sets = await store.listDeviceSets(db, workspaceId)
  const rollouts = scopes.has('Deployments: read') ? await store.listRollouts(db, workspaceId) : []
  const unregistered = await store.listUnregistered(db, { workspaceId, limit: MOST_UNREGISTERED })
  const devices = await store.countDevices(db, workspaceId)

  const gates = await ctx.reactions.listGateFacts(ctx, { workspaceId })
  const notes = await listSupportNotes(db, { workspaceId, now: at })
  const byFirmware = describeVersions(rows, rollouts, { gates, notes })
  const versions = [...byFirmware.values()].flat()
  const shown = groupByFirmware(firmwares, byFirmware, unregistered.listed)
    .flatMap((firmware) => showFirmware(firmware, { group, limit }) ?? [])
    .toSorted((one, other) => other.deviceCount - one.deviceCount)
  const marks = new Map(versions.map(({ id, mark }) => [id, mark.state]))
  const countRunning = (state: Mark['state']) =>
    sets
      .filter(({ firmwareVersionIds }) => firmwareVersionIds.some((id) => marks.get(id) === state))
      .reduce((sum, set) => sum + set.devices, 0)
  return {
    devices: {
      ...devices,
      unregistered: unregistered.devices,
      overloaded: countRunning('Overloaded'),
      unknown: countRunning('Unknown'),
    },
    versionCounts: countGroups(versions, unregistered.versions),
    firmwares: await addTrends(db, { workspaceId, at }, shown),
    unlistedUnregistered: unregistered.versions - unregistered.listed.length,
  }
}

/** By firmware. */
function describeVersions(
  rows: readonly store.VersionRow[],
  rollouts: Awaited<ReturnType<typeof store.listRollouts>>,
  { gates, notes }: { gates: ReadonlyMap<string, GateFacts>; notes: ReadonlyMap<string, string> },
): Map<string, VersionInOverview[]> {
  const ofVersion = Map.groupBy(rollouts, ({ firmwareVersionId }) => firmwareVersionId)
  const describe = ({ id, name, line, createdAt, devices, counts, ...row }: store.VersionRow) => ({
    id,
    name,
    line,
    buildId: null,
    createdAt,
    mark: decideMark({
      ...readMarkFacts(row.markValues),
      gate: gates.get(id),
      supportNote: notes.get(id),
    }),
    deviceCount: devices,
    countsBySeverity: row.readSboms === 0 ? null : countSeverities(counts),
    rollouts: (ofVersion.get(id) ?? []).map(({ rollout }) => rollout),
  })
  const byFirmware = Map.groupBy(rows, ({ firmwareId }) => firmwareId)
  return new Map([...byFirmware].map(([id, versions]) => [id, versions.map(describe)]))
}

type ShownFirmware = NonNullable<ReturnType<typeof showFirmware>>

/** The past of the versions that are shown, and of firmwares as a whole: a device runs one version of a firmware. */
async function addTrends(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
  shown: readonly ShownFirmware[],
) {
  const days = listTrendDays(at)
  const ids = shown.flatMap(({ versions }) => versions.flatMap(({ id }) => id ?? []))
  const past = await listDailyDevices(db, { workspaceId, of: ids, days })
  const pastOfFirmwares = await listDailyDevices(db, { workspaceId, of: 'Firmware', days })
  const byId = Map.groupBy([...past, ...pastOfFirmwares], ({ id }) => id)
  const today = at.toISOString().slice(0, 10)
  const trendOf = (id: string, devices: number) => [
    ...(byId.get(id) ?? []).map((each) => ({ day: each.day, devices: each.devices })),
    { day: today, devices },
  ]
  return shown.map(({ registeredDevices, ...firmware }) => ({
    ...firmware,
    trend: firmware.id === null ? [] : trendOf(firmware.id, registeredDevices),
    versions: firmware.versions.map((version) => ({
      ...version,
      trend: version.id === null ? [] : trendOf(version.id, version.deviceCount),
    })),
  }))
}

function countGroups(versions: readonly VersionInOverview[], unregistered: number) {
  return VERSION_GROUPS.map((group) => {
    const isMeant = isInGroup({ deviceCount: 1, mark: UNREGISTERED }, group)
    const registered = versions.filter((version) => isInGroup(version, group)).length
    return { group, versions: registered + (isMeant ? unregistered : 0) }
  })
}

const UNREGISTERED = { state: 'Unknown', sentence: 'Unknown: nobody registered it' } as const

const describeUnregistered = ({
  version,
  buildId,
  deviceCount,
}: store.UnregisteredVersion): VersionInOverview => ({
  id: null,
  name: version,
  buildId,
  line: null,
  createdAt: null,
  mark: UNREGISTERED,
  deviceCount,
  countsBySeverity: null,
  rollouts: [],
})

/** Versions that nobody registered stand with the firmware whose slug devices report, or by themselves. */
function groupByFirmware(
  firmwares: readonly store.FirmwareRow[],
  versions: ReadonlyMap<string, VersionInOverview[]>,
  unregistered: readonly store.UnregisteredVersion[],
): FirmwareVersions[] {
  const ofSlug = Map.groupBy(unregistered, ({ slug }) => slug)
  const known = new Set(firmwares.map(({ slug }) => slug))
  const describeSlug = (slug: string) => (ofSlug.get(slug) ?? []).map(describeUnregistered)
  return [
    ...firmwares.map((firmware) => ({
      ...firmware,
      versions: [...(versions.get(firmware.id) ?? []), ...describeSlug(firmware.slug)],
    })),
    ...[...ofSlug.keys()]
      .filter((slug) => !known.has(slug))
      .map((slug) => ({ id: null, slug, name: null, versions: describeSlug(slug) })),
  ]
}
