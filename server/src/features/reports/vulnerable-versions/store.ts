/** Lists firmware versions with active findings by their counters. */
import { sql } from 'kysely'
import { isActiveSql } from '../../../formats/assessments.ts'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  readMarkFacts,
  decideMark,
  listSupportNotes,
  type MarkReader,
  markValues,
  NO_AFFECTED_DEVICES,
  readSboms,
  sumDeviceCounts,
} from '../../firmware/index.ts'

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
 * The list as JSON text, which PostgreSQL builds: with objects, 10,000 rows take twice the time. Sorted by the number of
 * critical findings, then of high ones and so on, then newest first.
 */
export async function readVulnerableVersionsJson(
  ctx: MarkReader,
  { workspaceId, firmwareId }: { workspaceId: string; firmwareId?: string | undefined },
): Promise<string> {
  const { rows } = await sql<{ json: string }>`
    select '[' || coalesce(string_agg(
      '{"firmwareId":"' || firmware.id || '","firmwareName":' || to_json(firmware.name)
      || ',"firmwareVersionId":"' || version.id || '","firmwareVersionName":' || to_json(version.name)
      || ',"createdAt":' || ${timestamp(sql`version.created_at`)}
      || ',"mark":' || ${FENCE} || ${markValues} || version.id || ${FENCE}
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
        select counts.firmware_version_id, ${sumDeviceCounts(ctx.now())}
        from firmware_version_device_counts as counts where counts.workspace_id = ${workspaceId}
        group by counts.firmware_version_id
      ) as counted
    ) as affected on affected.firmware_version_id = counters.firmware_version_id
    left join ${readSboms(workspaceId)} on read.firmware_version_id = counters.firmware_version_id
    cross join (select max(last_success_at) as at from vulnerability_sources) as synced
    where counters.workspace_id = ${workspaceId} and ${total} > 0
      ${firmwareId === undefined ? sql`` : sql`and version.firmware_id = ${firmwareId}`}`.execute(
    ctx.db,
  )
  const gates = await ctx.reactions.listGateFacts(ctx, { workspaceId })
  const notes = await listSupportNotes(ctx.db, { workspaceId, now: ctx.now() })
  const known = new Map<string, string>()
  return (rows[0]?.json ?? '[]').replaceAll(FENCED, (_whole, values: string, id: string) => {
    const [gate, supportNote] = [gates.get(id), notes.get(id)]
    const key = gate ? `${values}${id}` : `${values}${supportNote ?? ''}`
    const facts = () => ({ ...readMarkFacts(JSON.parse(values) as number[]), gate, supportNote })
    const mark = known.get(key) ?? JSON.stringify(decideMark(facts()))
    known.set(key, mark)
    return mark
  })
}

/** A character that JSON escapes: it stands around the values of marks and the version that they are of; words are made here. */
const FENCE = sql`chr(1)`
const FENCED = /\u0001([^\u0001\]]*\])([^\u0001]*)\u0001/g

/** Versions with an active finding of one of the vulnerabilities, which may be named by aliases. */
export async function listVersionsWithActiveFinding(
  { db }: { db: Db },
  { workspaceId, cveIds }: { workspaceId: string; cveIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct fact.firmware_version_id as id
    from vulnerability_aliases as alias
    join package_matches as match on match.vulnerability_id = alias.vulnerability_id and match.until is null
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where alias.alias = any(${cveIds}::text[])
      and ${sql.raw(isActiveSql())}`.execute(db)
  return rows.map(({ id }) => id)
}
