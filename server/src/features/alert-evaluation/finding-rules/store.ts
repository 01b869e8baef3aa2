/**
 * Evaluates rules about new findings: which findings begin to fire, and which firing ones no longer meet the condition. One
 * statement reads all this and records how far the rules were scanned, so that both are about the same snapshot.
 */
import { type RawBuilder, sql } from 'kysely'
import { encodeFindingIdSql } from '../../../formats/finding-id.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { defineChange, type Cte, defineMaterialized, nameTable, withCtes } from '../cte-store.ts'
import { EVALUATED_RULES, OPEN_SERIES, type VerdictQueries } from '../verdicts-store.ts'
import {
  changeTables,
  defineNewFindings,
  type NewFindingRow,
  NEWLY_RUNNING,
  RUNNING_VERSIONS,
  defineRunningVersions,
  SAME_PACKAGE,
  SAME_VERSION,
  SAME_VULNERABILITY,
  selectWantedFindings,
} from './new-findings-store.ts'
import { FINDING_RULES, defineRules, type FindingScan, FIRING_FINDINGS } from './rules-store.ts'

interface FindingSeries {
  /** The place of the rule in the list. */
  entry: number
  /** The id of the finding. */
  series: string
}

export interface FindingChanges {
  started: (FindingSeries & { label: string; score: number | null })[]
  ended: FindingSeries[]
}

interface ScanRow extends FindingSeries {
  begins: boolean
  vulnerabilityId: string | null
  componentName: string | null
  componentVersion: string | null
  firmwareName: string | null
  versionName: string | null
  severity: string | null
  score: number | null
  isKnownExploit: boolean | null
}

export async function scanFindings(
  tx: Tx,
  workspaceId: string,
  scan: FindingScan,
): Promise<FindingChanges> {
  const found = defineNewFindings(workspaceId)
  const ctes = [
    ...defineRules(workspaceId, scan),
    ...defineRunningVersions(workspaceId),
    ...changeTables(workspaceId, scan),
    found,
    ...scanRecords(workspaceId, found.table),
  ]
  const { rows } = await sql<ScanRow>`
    ${withCtes(ctes)}
    select finding.entry, ${NEW_FINDING_ID} as series, true as begins, finding.vulnerability_id,
      finding.component_name, finding.component_version, firmware.name as firmware_name, version.name as version_name,
      finding.severity, finding.score::numeric::float8 as score, finding.is_known_exploit
    from (select distinct * from ${found.table}) as finding
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = finding.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    union all
    select change.entry, change.series, false, null, null, null, null, null, null, null, null
    from ${FIRING_FINDINGS} as change join ${FINDING_RULES} as rule using (entry)
    where (select true ${selectWantedFindings(workspaceId, STILL_WANTED)} limit 1) is null`.execute(
    tx,
  )
  return {
    started: rows
      .filter(({ begins }) => begins)
      .map((row) => ({
        entry: row.entry,
        series: row.series,
        label: describeFinding(row),
        score: row.score,
      })),
    ended: rows.filter(({ begins }) => !begins),
  }
}

const NEW_FINDING_ID = sql.raw(
  encodeFindingIdSql({
    firmwareVersionId: 'finding.firmware_version_id',
    packageId: 'finding.package_id',
    vulnerabilityId: 'finding.vulnerability_id',
  }),
)

const STILL_WANTED = {
  changes: undefined,
  fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
  match: SAME_VULNERABILITY,
}

/** `CVE-2026-1 in openssl 3.0.1, Gateway 1.4 (High, known exploited)` */
function describeFinding(row: ScanRow): string {
  const component = [row.componentName, row.componentVersion].filter((part) => part !== null)
  const known = row.isKnownExploit === true ? ', known exploited' : ''
  return `${row.vulnerabilityId ?? ''} in ${component.join(' ')}, ${row.firmwareName ?? ''} ${row.versionName ?? ''} (${row.severity ?? ''}${known})`
}

/**
 * A rule that has no room for all findings keeps its backlog: the next evaluation scans the same time and the same running
 * versions again.
 */
function scanRecords(workspaceId: string, found: RawBuilder<NewFindingRow>): Cte<unknown>[] {
  const full = defineMaterialized(
    nameTable('full_rules'),
    sql<{ entry: number }>`
      select rule.entry from ${FINDING_RULES} as rule
      left join (select entry, count(*) as amount from ${found} group by entry) as found using (entry)
      where rule.room <= coalesce(found.amount, 0)`,
  )
  return [
    full,
    defineChange(
      nameTable('recorded_backlogs'),
      sql`
        update alert_rules as stored
        set findings_from = case when full_rule.entry is null then null else rule.scan_from end
        from ${FINDING_RULES} as rule left join ${full.table} as full_rule using (entry)
        where stored.workspace_id = ${workspaceId} and stored.id = rule.rule_id
          and (stored.findings_from is not null or full_rule.entry is not null)`,
    ),
    defineChange(
      nameTable('deleted_versions'),
      sql`
        delete from alert_running_versions as known using ${FINDING_RULES} as rule
        where known.workspace_id = ${workspaceId} and known.rule_id = rule.rule_id
          and known.firmware_version_id not in (select firmware_version_id from ${RUNNING_VERSIONS})`,
    ),
    defineChange(
      nameTable('inserted_versions'),
      sql`
        insert into alert_running_versions (workspace_id, rule_id, firmware_version_id)
        select ${workspaceId}, rule.rule_id, running.firmware_version_id
        from ${FINDING_RULES} as rule cross join ${RUNNING_VERSIONS} as running
        where rule.only_running and (rule.entry, running.firmware_version_id) not in (
          select entry, firmware_version_id from ${full.table} join ${NEWLY_RUNNING} using (entry))
        on conflict do nothing`,
    ),
  ]
}

/** Firing findings that did not end keep firing. */
export function selectChangedFindings({ started, ended }: FindingChanges): VerdictQueries {
  return {
    ctes: [],
    meeting: sql`
      select open.entry, open.series, null::text as label, null::float8 as value from ${OPEN_SERIES} as open
      where (open.entry, open.series) not in (
        select * from unnest(${ended.map(({ entry }) => entry)}::int[], ${ended.map(({ series }) => series)}::text[]))
      union all
      select * from unnest(
        ${started.map(({ entry }) => entry)}::int[], ${started.map(({ series }) => series)}::text[],
        ${started.map(({ label }) => label)}::text[], ${started.map(({ score }) => score)}::float8[])`,
    totals: (meeting) => sql`
      select rule.entry, count(meeting.series) as series_count, greatest(count(meeting.series), 1) as value_count,
        null::float8 as lowest, null::float8 as highest
      from ${EVALUATED_RULES} as rule left join ${meeting} as meeting using (entry) group by rule.entry`,
  }
}
