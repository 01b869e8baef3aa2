/** Finds devices that have been offline for longer than rules allow, and those with keys that are too old: each is read once for all rules. */
import { sql } from 'kysely'
import {
  type DeviceOfflineCondition,
  type OldKeyCondition,
  parseDuration,
} from '../alert-rules/index.ts'
import { defineMaterialized, nameTable } from './cte-store.ts'
import type { DueRule } from './evaluation.ts'
import type { VerdictQueries } from './verdicts-store.ts'
import { findMax } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'

export type OfflineRule = Extract<DueRule, { condition: DeviceOfflineCondition }>

/** Values are minutes since the device was last seen. A device that was never seen does not count as offline. */
export function selectOfflineDevices(
  workspaceId: string,
  rules: readonly OfflineRule[],
): VerdictQueries {
  const cutOffs = rules.map(
    ({ windowEnd, condition }) => windowEnd.getTime() - parseDuration(condition.offlineFor) * 1000,
  )
  const given = rules.map(({ windowEnd, condition: { deploymentCohortId, tags } }, entry) => ({
    entry,
    cohortId: deploymentCohortId,
    tags,
    seenBefore: new Date(cutOffs[entry] ?? 0),
    windowEnd,
  }))
  const offlineRules = defineMaterialized(
    nameTable<{
      entry: number
      cohortId: string | null
      tags: string[]
      seenBefore: Date
      windowEnd: Date
    }>('offline_rules'),
    sql`
      select * from json_to_recordset(${JSON.stringify(given)}::json) as given (entry int, "cohortId" text,
        tags text[], "seenBefore" timestamptz, "windowEnd" timestamptz)`,
  )
  const offline = defineMaterialized(
    nameTable<{ id: string; cohortId: string | null; tags: string[]; lastSeenAt: Date }>(
      'offline_devices',
    ),
    sql`
      select id, cohort_id::text as cohort_id, tags, last_seen_at from devices
      where workspace_id = ${workspaceId} and not connected and last_seen_at < ${new Date(findMax(cutOffs))}`,
  )
  return {
    ctes: [offlineRules, offline],
    meeting: sql`
      select rule.entry, device.id as series, null::text as label,
        floor(extract(epoch from rule."windowEnd" - device.last_seen_at) / 60)::float8 as value
      from ${offlineRules.table} as rule
        join ${offline.table} as device on device.last_seen_at < rule."seenBefore"
      where (rule."cohortId" is null or device.cohort_id = rule."cohortId") and device.tags @> rule.tags`,
    totals: (meeting) => sql`
      select rule.entry, count(meeting.series) as series_count, greatest(count(meeting.series), 1) as value_count,
        min(meeting.value) as lowest, max(meeting.value) as highest
      from ${offlineRules.table} as rule left join ${meeting} as meeting using (entry) group by rule.entry`,
  }
}

export type OldKeyRule = Extract<DueRule, { condition: OldKeyCondition }>

interface KeyRule {
  entry: number
  cohortId: string | null
  madeBefore: Date
  askedBefore: Date
  windowEnd: Date
}

interface JudgedKey {
  /** Its device, or `fleet-key/0198…`. */
  holder: string
  /** null: of no cohort, or a key of all devices. */
  cohortId: string | null
  isFleet: boolean
  /** What the label begins with. */
  name: string
  /** When the oldest key in force was made. */
  madeAt: Date
  /** When its device was asked to replace it; null: it is not asked. */
  askedAt: Date | null
}

/**
 * A series is a device or a key of all devices, and a device that was asked in vain is one more: `gw-0042/asked`. Values are days.
 * Certificates, and devices without a key of their own, are not judged. Where there is no key, the rule has no data.
 */
export function selectOldKeys(workspaceId: string, rules: readonly OldKeyRule[]): VerdictQueries {
  const given = rules.map(({ windowEnd, condition }, entry) => ({
    entry,
    cohortId: condition.deploymentCohortId,
    madeBefore: addMs(windowEnd, -condition.olderThanDays * DAY_MS),
    askedBefore: addMs(windowEnd, -condition.askedForDays * DAY_MS),
    windowEnd,
  }))
  const until = new Date(findMax(rules.map(({ windowEnd }) => windowEnd.getTime())))
  const keyRules = defineMaterialized(
    nameTable<KeyRule>('key_rules'),
    sql`
      select * from json_to_recordset(${JSON.stringify(given)}::json) as given (entry int, "cohortId" text,
        "madeBefore" timestamptz, "askedBefore" timestamptz, "windowEnd" timestamptz)`,
  )
  const keys = defineMaterialized(
    nameTable<JudgedKey>('judged_keys'),
    sql`
      select device.id as holder, device.cohort_id::text as cohort_id, false as is_fleet, device.id as name, own.made_at, rotation.asked_at
      from (
        select device_id, min(created_at) as made_at from device_keys
        where workspace_id = ${workspaceId} and device_id is not null and issuer_id is null and revoked_at is null
          and not is_next and created_at < ${until}
        group by device_id
      ) as own
      join devices as device on device.workspace_id = ${workspaceId} and device.id = own.device_id
      left join device_key_rotations as rotation
        on rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id and rotation.done_at is null
      union all
      select 'fleet-key/' || id, null, true, 'key ' || name || ' of all devices', created_at, null from device_keys
      where workspace_id = ${workspaceId} and device_id is null and revoked_at is null and created_at < ${until}`,
  )
  const isMeant = sql`(rule."cohortId" is null or key.cohort_id = rule."cohortId")`
  const countDays = (since: 'made_at' | 'asked_at') =>
    sql`floor(extract(epoch from rule."windowEnd" - ${sql.ref(`key.${since}`)}) / 86400)::float8`
  const formatDay = (at: 'made_at' | 'asked_at') =>
    sql`to_char(${sql.ref(`key.${at}`)} at time zone 'UTC', 'YYYY-MM-DD')`
  return {
    ctes: [keyRules, keys],
    meeting: sql`
      select rule.entry, key.holder as series,
        key.name || case when key.is_fleet then ', made on ' else ': its oldest key was made on ' end || ${formatDay('made_at')} as label,
        ${countDays('made_at')} as value
      from ${keyRules.table} as rule join ${keys.table} as key on key.made_at <= rule."madeBefore"
      where ${isMeant}
      union all
      select rule.entry, key.holder || '/asked',
        key.name || ': asked on ' || ${formatDay('asked_at')} || ' to replace its key, which still goes on', ${countDays('asked_at')}
      from ${keyRules.table} as rule join ${keys.table} as key on key.asked_at <= rule."askedBefore"
      where ${isMeant}`,
    totals: () => sql`
      select rule.entry, count(*) + count(key.asked_at) as series_count, count(*) as value_count,
        min(${countDays('made_at')}) as lowest, max(${countDays('made_at')}) as highest
      from ${keyRules.table} as rule join ${keys.table} as key on ${isMeant}
      group by rule.entry`,
  }
}
