/** Firmware versions with active findings, told by the counters that every change moves. */
import { sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { NO_AFFECTED_DEVICES, sumDeviceCounts } from '../firmware/index.ts'

export interface SeverityCount {
  severity: Severity
  count: number
}

/** All six severities, worst first; zeros where nothing was ever counted. */
export async function readCounters(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<SeverityCount[]> {
  const row = await db
    .selectFrom('firmwareVersionCounters')
    .select(['critical', 'high', 'medium', 'low', 'none', 'unknown'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
  const counts = new Map(Object.entries(row ?? {}))
  return SEVERITIES.map((severity) => ({
    severity,
    count: counts.get(severity.toLowerCase()) ?? 0,
  }))
}

const columns = SEVERITIES.map((severity) => ({
  severity,
  column: sql.ref(`counters.${severity.toLowerCase()}`),
}))
const total = sql.join(
  columns.map(({ column }) => column),
  sql` + `,
)
const text = (json: string) => sql.raw(`'${json.replaceAll("'", "''")}'`)
const countsJson = sql.join(
  columns.map(
    ({ severity, column }) => sql`${text(`{"severity":"${severity}","count":`)} || ${column}`,
  ),
  sql` || '},' || `,
)
const timestamp = (value: ReturnType<typeof sql>) =>
  sql`'"' || to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`

const NOBODY = text(JSON.stringify(NO_AFFECTED_DEVICES).replace(/^\{(.*)\}$/, ',$1'))

/**
 * The list as JSON, put together where the rows are: as objects, 10,000 of them took twice the time. Most critical
 * ones first, where those are as many most high ones, and so on; the newest first of equals.
 */
export async function readVulnerableVersionsJson(
  db: Db,
  { workspaceId, firmwareId }: { workspaceId: string; firmwareId?: string | undefined },
  now: Date,
): Promise<string> {
  const { rows } = await sql<{ json: string }>`
    select '[' || coalesce(string_agg(
      '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name)
      || ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || ${timestamp(sql`version.created_at`)}
      || ',"vulnerabilitySummary":{"totalActiveIssues":' || ${total}
      || ',"countsBySeverity":[' || ${countsJson} || '}]' || coalesce(affected.json, ${NOBODY}) || ',"lastEvaluatedAt":'
      || ${timestamp(sql`greatest(counters.evaluated_at, synced.at)`)} || '}}',
      ',' order by ${sql.join(columns.map(({ column }) => sql`${column} desc`))}, version.id desc), '') || ']' as json
    from firmware_version_counters as counters
    join firmware_versions as version
      on version.workspace_id = counters.workspace_id and version.id = counters.firmware_version_id
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    left join (
      select firmware_version_id, ',"affectedDeviceCount":' || total || ',"affectedDevices":{"runningNow":' || running_now
        || ',"seenLastDay":' || seen_last_day || ',"seenLastWeek":' || seen_last_week || ',"older":' || older || '}' as json
      from (
        select counts.firmware_version_id, ${sumDeviceCounts(now)}
        from firmware_version_device_counts as counts where counts.workspace_id = ${workspaceId}
        group by counts.firmware_version_id
      ) as counted
    ) as affected on affected.firmware_version_id = counters.firmware_version_id
    cross join (select max(last_success_at) as at from vulnerability_sources) as synced
    where counters.workspace_id = ${workspaceId} and ${total} > 0
      ${firmwareId === undefined ? sql`` : sql`and version.firmware_id = ${firmwareId}`}`.execute(
    db,
  )
  return rows[0]?.json ?? '[]'
}
