/**
 * Which new findings fire: what is news and holds, and what fires already and holds still. All in one statement, so that
 * what is taken down as looked at is what was looked at.
 */
import { type RawBuilder, sql } from 'kysely'
import { encodedFindingId } from '../findings/index.ts'
import {
  changedFacts,
  FINDING_COLUMNS,
  findingsThatHold,
  foundNews,
  runningVersions,
} from './finding-news-store.ts'
import { findingRules, type LookedAt } from './finding-rules-store.ts'
import type { Judgement } from './settle-store.ts'

/** Series are ids of findings, values their scores. */
export function findingJudgement(workspaceId: string, looked: LookedAt): Judgement {
  return sql`
    ${findingRules(workspaceId, looked)}, ${runningVersions(workspaceId)}, ${changedFacts(workspaceId, looked)},
    ${foundNews(workspaceId)}, ${whatFires(workspaceId)}, kept as (
      select entry, series from firing where false
    ), measured as (
      select rule.entry, count(firing.series) as series_count, greatest(count(firing.series), 1) as value_count,
        min(firing.value) as lowest, max(firing.value) as highest
      from finding_rules as rule left join firing using (entry) group by rule.entry
    ), ${takenDown(workspaceId)}`
}

const WATCHED = {
  from: sql`watched as change join finding_rules as rule using (entry)`,
  fact: sql`fact.firmware_version_id = change.firmware_version_id and fact.package_id = change.package_id`,
  match: sql`match.vulnerability_id = change.vulnerability_id`,
}

const LABEL = sql`format('%s in %s, %s %s (%s%s)', found.vulnerability_id,
  concat_ws(' ', found.component_name, found.component_version), firmware.name, version.name, found.severity,
  case when found.is_known_exploit then ', known exploited' end)`

function whatFires(workspaceId: string): RawBuilder<unknown> {
  const series = encodedFindingId({
    firmwareVersionId: sql`found.firmware_version_id`,
    packageId: sql`found.package_id`,
    vulnerabilityId: sql`found.vulnerability_id`,
  })
  return sql`
    firing as materialized (
      select found.entry, ${series} as series, null as label, found.score::numeric::float8 as value
      from (select rule.entry, ${FINDING_COLUMNS} ${findingsThatHold(workspaceId, WATCHED)}) as found
      union all
      select found.entry, ${series}, ${LABEL}, found.score::numeric::float8
      from (select distinct * from found_news) as found
      join firmware_versions as version
        on version.workspace_id = ${workspaceId} and version.id = found.firmware_version_id
      join firmwares as firmware
        on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    )`
}

/** A rule that had no room for all is behind: next time it looks at the same time again, and at the same versions. */
function takenDown(workspaceId: string): RawBuilder<unknown> {
  return sql`
    behind as materialized (
      select rule.entry from finding_rules as rule
      where rule.room <= (select count(*) from found_news where found_news.entry = rule.entry)
    ), marked as (
      update alert_rules as stored
      set findings_from = case when behind.entry is null then null else rule.look_from end
      from finding_rules as rule left join behind using (entry)
      where stored.workspace_id = ${workspaceId} and stored.id = rule.rule_id
        and (stored.findings_from is not null or behind.entry is not null)
    ), run_no_more as (
      delete from alert_running_versions as known using finding_rules as rule
      where known.workspace_id = ${workspaceId} and known.rule_id = rule.rule_id and not exists (
        select from running_versions as running where running.firmware_version_id = known.firmware_version_id)
    ), run_now as (
      insert into alert_running_versions (workspace_id, rule_id, firmware_version_id)
      select ${workspaceId}, rule.rule_id, running.firmware_version_id
      from finding_rules as rule cross join running_versions as running
      where rule.only_running and not exists (
        select from behind join newly_running as newly using (entry)
        where newly.entry = rule.entry and newly.firmware_version_id = running.firmware_version_id)
      on conflict do nothing
    )`
}
