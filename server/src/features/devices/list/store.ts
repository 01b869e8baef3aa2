/** Selects the devices of a page. `describeDevices` reads what the page shows of them. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { KeyRotation } from '../../../formats/key-rotation.ts'
import {
  BLIND_SPOT_KINDS,
  type BlindSpotKind,
  chooseBlindKind,
  IMAGE_KINDS,
  isBlindImage,
} from '../images/store.ts'
import { hasRotation, isOwnKey } from '../keys/store.ts'

/** What is worst of a device: a severity, no active finding, or none in versions of which nothing is known. */
export const WORST = [...SEVERITIES, 'NotJudged', 'Clean'] as const
export type Worst = (typeof WORST)[number]

export interface DeviceFilter {
  cohortIds?: string[]
  inCohort?: boolean
  firmwareIds?: string[]
  firmwareVersionIds?: string[]
  /** Versions with one of the given vulnerabilities. */
  affectedVersionIds?: string[]
  /** Versions with one of the given marks. */
  markedVersionIds?: string[]
  vulnerable?: boolean
  exploited?: boolean
  worst?: Worst[]
  blindSpot?: boolean
  /** Devices with a blind spot of one of these kinds. */
  blindSpotKinds?: BlindSpotKind[]
  /** Devices that report one of these hashes of an image. */
  imageHashes?: string[]
  keyRotation?: KeyRotation['state'][]
  ownKey?: boolean
  ownKeyMadeBefore?: string
  connected?: boolean
  neverSeen?: boolean
  lastSeenBefore?: string
  lastSeenAfter?: string
  tags?: string[]
  allTags?: string[]
  text?: string
}

export const DEVICE_SORT_COLUMNS = ['Id', 'LastSeenAt', 'UnknownSince', 'OldestKeyAt'] as const
export type DeviceSortColumn = (typeof DEVICE_SORT_COLUMNS)[number]

export interface DeviceQuery {
  workspaceId: string
  filter: DeviceFilter
  sortColumn: DeviceSortColumn
  ascending: boolean
  limit: number
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface ChosenDevice {
  id: string
  sortValues: string[]
}

/** The expression of its index: devices that were never seen come first. */
export const seenAt = sql`coalesce(device.last_seen_at, '-infinity'::timestamptz)`

/** Devices with a running firmware that meets the condition. */
const runs = (workspaceId: string, condition: RawBuilder<unknown>) => sql`device.id in (
  select running.device_id from device_firmwares as running
  where running.workspace_id = ${workspaceId} and ${condition})`

const vulnerableVersions = (workspaceId: string) => sql`running.firmware_version_id in (
  select counters.firmware_version_id from firmware_version_counters as counters
  where counters.workspace_id = ${workspaceId} and counters.critical + counters.high + counters.medium
    + counters.low + counters.none + counters.unknown > 0)`

const exploitedVersions = (workspaceId: string) => sql`running.firmware_version_id in (
  select counters.firmware_version_id from firmware_version_counters as counters
  where counters.workspace_id = ${workspaceId} and counters.exploited > 0)`

/** Branches of a `case` over the `counters` of all that a device runs: its worst severity. */
export const WORST_SEVERITY = sql.join(
  SEVERITIES.map((severity) => {
    const counter = sql.ref(`counters.${severity.toLowerCase()}`)
    return sql`when max(${counter}) > 0 then ${sql.lit(severity)}`
  }),
  sql` `,
)

/**
 * An aggregate over `runningVersions`. Without findings, one without counters or components is not judged, nor is one that has a
 * component of which nothing can be told.
 */
const worstOfRunning = sql`case ${WORST_SEVERITY} when min(coalesce(counters.judged_components, 0)) = 0
  or max(counters.silent_components) > 0 then 'NotJudged' else 'Clean' end`

const runningVersions = (workspaceId: string) => sql`device_firmwares as running
  left join firmware_version_counters as counters
    on counters.workspace_id = running.workspace_id and counters.firmware_version_id = running.firmware_version_id
  where running.workspace_id = ${workspaceId} and running.firmware_version_id is not null`

/** The worst finding of one `device`; null where it runs no known version. */
export const worstOfDevice = (workspaceId: string) => sql<Worst | null>`(
  select ${worstOfRunning} from ${runningVersions(workspaceId)} and running.device_id = device.id
  having count(*) > 0)`

/** Whether one `device` runs a version with an active finding that is known to be exploited. */
export const isDeviceExploited = (workspaceId: string) => sql<boolean>`exists (
  select from ${runningVersions(workspaceId)} and running.device_id = device.id and counters.exploited > 0)`

/** A device that runs no known version is not judged. */
const hasWorst = (workspaceId: string, worst: readonly Worst[]) => sql`(device.id in (
  select running.device_id from ${runningVersions(workspaceId)}
  group by running.device_id having ${worstOfRunning} = any(${worst}::text[]))
  or ${worst.includes('NotJudged')} and not exists (
    select from device_firmwares as running where running.workspace_id = ${workspaceId}
      and running.device_id = device.id and running.firmware_version_id is not null))`

const hasBlindSpot = (workspaceId: string, kinds: readonly BlindSpotKind[]) => {
  const ofImages = IMAGE_KINDS.filter((kind) => kinds.includes(kind))
  const isOfKind =
    ofImages.length === IMAGE_KINDS.length
      ? sql``
      : sql`and ${chooseBlindKind(workspaceId, sql`running.image_hash`)} = any(${ofImages}::text[])`
  // Each by an index of its own: of a million devices few have a blind spot.
  return sql`device.id in (
    select unnamed.device_id from device_firmwares as unnamed
    where unnamed.workspace_id = ${workspaceId} and unnamed.firmware_version_id is null and ${kinds.includes('UnknownVersion')}::boolean
    union all
    select running.device_id from device_firmwares as running
    where running.workspace_id = ${workspaceId} and ${ofImages.length > 0}::boolean and ${isBlindImage(workspaceId)} ${isOfKind})`
}

/** Up to this number, devices are looked up one by one instead of found on the way through all devices in order. */
const FEW = 20_000

/** Read from the counts, as the planner assumes that devices run all versions evenly. */
async function isRunByFew(
  db: Db,
  workspaceId: string,
  versions: RawBuilder<unknown>,
): Promise<boolean> {
  const { devices } = await db
    .selectFrom('firmwareVersionDeviceCounts')
    .select(sql<number>`coalesce(sum(devices), 0)::int`.as('devices'))
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`firmware_version_id = any(${versions})`)
    .executeTakeFirstOrThrow()
  return devices <= FEW
}

/** Devices that run one of the versions. */
async function selectRunning(
  db: Db,
  workspaceId: string,
  versions: RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const known = sql`running.firmware_version_id = any(${versions})`
  if (!(await isRunByFew(db, workspaceId, versions))) return runs(workspaceId, known)
  return sql`device.id = any(array(
    select running.device_id from device_firmwares as running
    where running.workspace_id = ${workspaceId} and ${known}))`
}

async function ofVersions(
  db: Db,
  { workspaceId, filter }: DeviceQuery,
): Promise<RawBuilder<unknown>[]> {
  const { firmwareIds, firmwareVersionIds, affectedVersionIds, markedVersionIds } = filter
  const ofFirmwares =
    firmwareIds &&
    sql`array(select id from firmware_versions
      where workspace_id = ${workspaceId} and firmware_id = any(${firmwareIds}::uuid[]))`
  const named = [firmwareVersionIds, affectedVersionIds, markedVersionIds].map(
    (ids) => ids && sql`${ids}::uuid[]`,
  )
  const all = [ofFirmwares, ...named].filter((versions) => versions !== undefined)
  return Promise.all(all.map((versions) => selectRunning(db, workspaceId, versions)))
}

function ofWhatRuns({ workspaceId, filter }: DeviceQuery): (RawBuilder<unknown> | undefined)[] {
  const { vulnerable, exploited, worst, blindSpot, blindSpotKinds, imageHashes } = filter
  const isSo = (wanted: boolean | undefined, condition: RawBuilder<unknown>) =>
    wanted === undefined ? undefined : wanted ? condition : sql`not (${condition})`
  return [
    isSo(vulnerable, runs(workspaceId, vulnerableVersions(workspaceId))),
    isSo(exploited, runs(workspaceId, exploitedVersions(workspaceId))),
    worst && hasWorst(workspaceId, worst),
    isSo(blindSpot, hasBlindSpot(workspaceId, BLIND_SPOT_KINDS)),
    blindSpotKinds && hasBlindSpot(workspaceId, blindSpotKinds),
    imageHashes && runs(workspaceId, sql`running.image_hash = any(${imageHashes}::text[])`),
  ]
}

/** Devices with a key of their own in force; of those made before the instant. */
const hasOwnKey = (workspaceId: string, before?: string) => sql`device.id in (
  select key.device_id from device_keys as key
  where key.workspace_id = ${workspaceId} and ${isOwnKey}
    ${before === undefined ? sql`` : sql`and key.created_at < ${new Date(before)}::timestamptz`})`

function ofKeys({ workspaceId, filter }: DeviceQuery): (RawBuilder<unknown> | undefined)[] {
  const { keyRotation, ownKey, ownKeyMadeBefore } = filter
  const owns = hasOwnKey(workspaceId)
  return [
    keyRotation && hasRotation(workspaceId, keyRotation),
    ownKey === undefined ? undefined : ownKey ? owns : sql`not (${owns})`,
    ownKeyMadeBefore === undefined ? undefined : hasOwnKey(workspaceId, ownKeyMadeBefore),
  ]
}

function ofPresence({ filter }: DeviceQuery): (RawBuilder<unknown> | undefined)[] {
  const { connected, neverSeen, lastSeenBefore, lastSeenAfter } = filter
  return [
    connected === undefined
      ? undefined
      : connected
        ? sql`device.connected`
        : sql`not device.connected`,
    neverSeen === undefined
      ? undefined
      : neverSeen
        ? sql`${seenAt} = '-infinity'`
        : sql`${seenAt} > '-infinity'`,
    lastSeenBefore === undefined
      ? undefined
      : sql`(${seenAt} < ${new Date(lastSeenBefore)}::timestamptz and device.last_seen_at is not null)`,
    lastSeenAfter === undefined
      ? undefined
      : sql`${seenAt} >= ${new Date(lastSeenAfter)}::timestamptz`,
  ]
}

/** What a filter asks of `device`. */
export async function buildConditions(db: Db, query: DeviceQuery): Promise<RawBuilder<unknown>> {
  const { cohortIds, inCohort, tags, allTags, text } = query.filter
  const contains = (column: RawBuilder<unknown>) =>
    sql`strpos(lower(${column}), ${text?.toLowerCase() ?? ''}) > 0`
  const all = [
    cohortIds && sql`device.cohort_id = any(${cohortIds}::uuid[])`,
    inCohort === undefined
      ? undefined
      : inCohort
        ? sql`device.cohort_id is not null`
        : sql`device.cohort_id is null`,
    tags && sql`device.tags && ${tags}::text[]`,
    allTags && sql`device.tags @> ${allTags}::text[]`,
    text === undefined
      ? undefined
      : sql`(${contains(sql`device.id`)} or ${contains(sql`device.description`)})`,
    ...ofKeys(query),
    ...ofPresence(query),
    ...ofWhatRuns(query),
    ...(await ofVersions(db, query)),
  ].filter((condition) => condition !== undefined)
  return sql.join(
    all.map((condition) => sql`and ${condition}`),
    sql` `,
  )
}

/** The versions that devices run now; with firmware ids, those of these firmwares. */
export async function listRunningVersions(
  db: Db,
  workspaceId: string,
  firmwareIds?: readonly string[],
): Promise<string[]> {
  const ofFirmwares = sql<boolean>`firmware_version_id in (select id from firmware_versions
    where workspace_id = ${workspaceId} and firmware_id = any(${firmwareIds}::uuid[]))`
  const rows = await db
    .selectFrom('firmwareVersionDeviceCounts')
    .select('firmwareVersionId')
    .distinct()
    .where('workspaceId', '=', workspaceId)
    .where('devices', '>', 0)
    .$if(firmwareIds !== undefined, (query) => query.where(ofFirmwares))
    .execute()
  return rows.map(({ firmwareVersionId }) => firmwareVersionId)
}

export async function listDeviceIds(db: Db, query: DeviceQuery): Promise<ChosenDevice[]> {
  const { workspaceId, sortColumn, ascending, limit, after } = query
  const byTime = sortColumn === 'LastSeenAt'
  const { direction, beyond } = readDirection(ascending)
  const position = byTime
    ? sql`(${after?.[0]}::timestamptz, ${after?.[1]}::text collate "C")`
    : sql`(${after?.[0]}::text collate "C")`
  const kept = await buildConditions(db, query)
  const { rows } = await sql<ChosenDevice>`
    select device.id, json_build_array(${byTime ? sql`${seenAt}::text, device.id` : sql`device.id`}) as sort_values
    from devices as device
    where device.workspace_id = ${workspaceId} ${kept}
      ${after ? sql`and (${byTime ? sql`${seenAt}, device.id` : sql`device.id`}) ${beyond} ${position}` : sql``}
    order by ${byTime ? sql`${seenAt} ${direction}, device.id ${direction}` : sql`device.id ${direction}`}
    limit ${limit}`.execute(db)
  return rows
}

export const readDirection = (ascending: boolean) =>
  ascending ? { direction: sql`asc`, beyond: sql`>` } : { direction: sql`desc`, beyond: sql`<` }

export interface DeviceCounts {
  devices: number
  connected: number
  seenLastDay: number
  seenLastWeek: number
  older: number
  neverSeen: number
  neverReported: number
  inNoCohort: number
  olderExploited: number
  vulnerableDevices: number
  exploitedDevices: number
}

/** Windows begin at a full hour, as those of the affected devices. */
export async function countDevices(
  db: Db,
  { workspaceId, now }: { workspaceId: string; now: Date },
): Promise<DeviceCounts> {
  const since = (interval: string) =>
    sql`(date_trunc('hour', ${now}::timestamptz, 'UTC') - ${interval}::interval)`
  const count = (condition: RawBuilder<unknown>) => sql`(count(*) filter (where ${condition}))::int`
  const away = sql`not device.connected and device.last_seen_at`
  const isOlder = sql`${away} < ${since('168 hours')}`
  const countRunning = (versions: RawBuilder<unknown>) => sql`(
    select coalesce(sum(counts.devices), 0)::int from firmware_set_device_counts as counts
    where counts.workspace_id = ${workspaceId} and exists (
      select from unnest(counts.firmware_version_ids) as running (firmware_version_id) where ${versions}))`
  const { rows } = await sql<DeviceCounts>`
    select count(*)::int as devices, ${count(sql`device.connected`)} as connected,
      ${count(sql`${away} >= ${since('24 hours')}`)} as seen_last_day,
      ${count(sql`${away} < ${since('24 hours')} and device.last_seen_at >= ${since('168 hours')}`)}
        as seen_last_week,
      ${count(isOlder)} as older,
      ${count(sql`device.last_seen_at is null`)} as never_seen,
      ${count(sql`device.last_seen_at is not null and device.reported_at is null`)} as never_reported,
      ${count(sql`device.cohort_id is null`)} as in_no_cohort,
      (select count(*)::int from devices as device where device.workspace_id = ${workspaceId} and ${isOlder}
        and ${runs(workspaceId, exploitedVersions(workspaceId))}) as older_exploited,
      ${countRunning(vulnerableVersions(workspaceId))} as vulnerable_devices,
      ${countRunning(exploitedVersions(workspaceId))} as exploited_devices
    from devices as device where device.workspace_id = ${workspaceId}`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('an aggregate answers one row')
  return counts
}
