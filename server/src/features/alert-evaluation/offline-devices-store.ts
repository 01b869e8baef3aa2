/** Finds devices that have been offline for longer than rules allow. Offline devices are read once for all rules. */
import { sql } from 'kysely'
import { type DeviceOfflineCondition, parseDuration } from '../alert-rules/index.ts'
import { defineMaterialized, nameTable } from './cte-store.ts'
import type { DueRule } from './evaluation.ts'
import type { VerdictQueries } from './verdicts-store.ts'
import { findMax } from '../../formats/extremes.ts'

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
