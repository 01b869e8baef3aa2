/**
 * Which new findings fire: what is news and holds, and what fires already and holds still. All is found out in one
 * statement, so that what is taken down as looked at is what was looked at.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import {
  changedFacts,
  findingsThatHold,
  foundNews,
  NEWS_SERIES,
  runningVersions,
} from './changes-store.ts'
import { findingRules, type LookedAt } from './rules-store.ts'
import type { Judgement } from '../verdicts-store.ts'

/** A series that begins or ceases to fire. Series are ids of findings, values their scores. */
export interface ChangedFinding {
  /** The place of the rule in the list. */
  entry: number
  series: string
  label: string | null
  value: number | null
  begins: boolean
}

export async function judgeFindings(
  tx: Tx,
  workspaceId: string,
  looked: LookedAt,
): Promise<ChangedFinding[]> {
  const { rows } = await sql<ChangedFinding>`
    with ${findingRules(workspaceId, looked)}, ${runningVersions(workspaceId)}, ${changedFacts(workspaceId, looked)},
    ${foundNews(workspaceId)}, ${takenDown(workspaceId)}
    select news.entry, ${NEWS_SERIES} as series, ${LABEL} as label, news.score::numeric::float8 as value, true as begins
    from (select distinct * from found_news) as news
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = news.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    union all
    select change.entry, change.series, null, null, false
    from watched as change join finding_rules as rule using (entry)
    where (select true ${findingsThatHold(workspaceId, WATCHED)} limit 1) is null`.execute(tx)
  return rows
}

const WATCHED = {
  from: undefined,
  fact: sql`fact.firmware_version_id = change.firmware_version_id and fact.package_id = change.package_id`,
  match: sql`match.vulnerability_id = change.vulnerability_id`,
}

const LABEL = sql`format('%s in %s, %s %s (%s%s)', news.vulnerability_id,
  concat_ws(' ', news.component_name, news.component_version), firmware.name, version.name, news.severity,
  case when news.is_known_exploit then ', known exploited' end)`

/** A rule that had no room for all is behind: next time it looks at the same time again, and at the same versions. */
function takenDown(workspaceId: string): RawBuilder<unknown> {
  return sql`
    behind as materialized (
      select rule.entry from finding_rules as rule
      left join (select entry, count(*) as amount from found_news group by entry) as found using (entry)
      where rule.room <= coalesce(found.amount, 0)
    ), marked as (
      update alert_rules as stored
      set findings_from = case when behind.entry is null then null else rule.look_from end
      from finding_rules as rule left join behind using (entry)
      where stored.workspace_id = ${workspaceId} and stored.id = rule.rule_id
        and (stored.findings_from is not null or behind.entry is not null)
    ), run_no_more as (
      delete from alert_running_versions as known using finding_rules as rule
      where known.workspace_id = ${workspaceId} and known.rule_id = rule.rule_id
        and known.firmware_version_id not in (select firmware_version_id from running_versions)
    ), run_now as (
      insert into alert_running_versions (workspace_id, rule_id, firmware_version_id)
      select ${workspaceId}, rule.rule_id, running.firmware_version_id
      from finding_rules as rule cross join running_versions as running
      where rule.only_running and (rule.entry, running.firmware_version_id) not in (
        select entry, firmware_version_id from behind join newly_running using (entry))
      on conflict do nothing
    )`
}

/** What fires and did not change fires on. */
export function changedJudgement(changes: readonly ChangedFinding[]): Judgement {
  const begun = changes.filter(({ begins }) => begins)
  const over = changes.filter(({ begins }) => !begins)
  return sql`
    firing as materialized (
      select open.entry, open.series, null::text as label, null::float8 as value from open
      where (open.entry, open.series) not in (
        select * from unnest(${over.map(({ entry }) => entry)}::int[], ${over.map(({ series }) => series)}::text[]))
      union all
      select * from unnest(
        ${begun.map(({ entry }) => entry)}::int[], ${begun.map(({ series }) => series)}::text[],
        ${begun.map(({ label }) => label)}::text[], ${begun.map(({ value }) => value)}::float8[])
    ), kept as (
      select entry, series from firing where false
    ), measured as (
      select rule.entry, count(firing.series) as series_count, greatest(count(firing.series), 1) as value_count,
        null::float8 as lowest, null::float8 as highest
      from judged_rules as rule left join firing using (entry) group by rule.entry
    )`
}
