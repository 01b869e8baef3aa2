/**
 * What made findings news since rules were evaluated last: facts that became true, decisions that were taken back,
 * firmware versions that devices began to run. Never all findings are looked at, only those these lead to.
 */
import { type RawBuilder, sql } from 'kysely'
import { encodedFindingId, isActiveSql } from '../../findings/index.ts'
import type { LookedAt } from './rules-store.ts'

interface Source {
  /** What leads to findings, as `change`; undefined: that stands before. */
  from: RawBuilder<unknown> | undefined
  fact?: RawBuilder<unknown>
  match?: RawBuilder<unknown>
}

/** The vulnerability is what `rule` asks for, by a severity it has in `match`, or being known as exploited. */
const isWanted = (table: 'match' | 'before', isExploited: RawBuilder<unknown>) => sql`(
  rule.is_any_severity or ${sql.ref(`${table}.severity`)} = any(rule.severities)
  or rule.wants_exploited and ${isExploited})`

/** Findings of a source that hold now and meet the condition of `rule`, which stands before. */
export function findingsThatHold(workspaceId: string, source: Source): RawBuilder<unknown> {
  const { from, fact = sql`true`, match = sql`true` } = source
  const assessment = sql`coalesce(decision.assessment, 'NotAssessed')`
  const ignored = sql`coalesce(decision.ignored, false)`
  return sql`
    from ${from ? sql`${from} cross join` : sql``} firmware_version_packages as fact
    join package_matches as match
      on match.package_id = fact.package_id and match.until is null and ${match}
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.until is null and ${fact}
      and ${isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })}
      and ${assessment} = 'NotAssessed' and ${isWanted('match', sql`vulnerability.is_known_exploit`)}
      and (rule.is_any_firmware or fact.firmware_version_id in (
        select version.id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id::text = any(rule.firmware_ids)))
      and (not rule.only_running
        or fact.firmware_version_id in (select firmware_version_id from running_versions))`
}

const COLUMNS = sql`fact.firmware_version_id, fact.package_id, match.vulnerability_id,
  fact.component_name, fact.component_version, match.severity, match.score, vulnerability.is_known_exploit`

/** What devices run, and what of it is new to a rule. When it is evaluated first, devices themselves say since when. */
export function runningVersions(workspaceId: string): RawBuilder<unknown> {
  return sql`
    running_versions as materialized (
      select distinct unnest(counts.firmware_version_ids) as firmware_version_id
      from firmware_set_device_counts as counts where counts.workspace_id = ${workspaceId} and counts.devices > 0
    ), newly_running as materialized (
      select rule.entry, running.firmware_version_id
      from finding_rules as rule cross join running_versions as running
      where rule.only_running and case when rule.is_first then not exists (
          select from device_firmwares as device
          where device.workspace_id = ${workspaceId} and device.firmware_version_id = running.firmware_version_id
            and device.since < rule.effective_since
        ) else not exists (
          select from alert_running_versions as known
          where known.workspace_id = ${workspaceId} and known.rule_id = rule.rule_id
            and known.firmware_version_id = running.firmware_version_id
        ) end
    )`
}

/** Facts of the time that any of the rules looks at. */
export function changedFacts(workspaceId: string, { from, to }: LookedAt): RawBuilder<unknown> {
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`
  return sql`
    changed_matches as materialized (
      select package_id, vulnerability_id, since from package_matches where ${within('since')}
    ), changed_packages as materialized (
      select firmware_version_id, package_id, since from firmware_version_packages
      where workspace_id = ${workspaceId} and ${within('since')}
    ), lately_exploited as materialized (
      select id as vulnerability_id, known_exploit_since as since from vulnerabilities
      where is_known_exploit and ${within('known_exploit_since')}
    ), taken_back as materialized (
      select told.firmware_version_id, told.package_id, told.vulnerability_id, told.created_at as since
      from finding_timeline as told cross join lateral (
        select earlier.assessment, earlier.ignored from finding_timeline as earlier
        where earlier.workspace_id = ${workspaceId} and earlier.firmware_version_id = told.firmware_version_id
          and earlier.package_id = told.package_id and earlier.vulnerability_id = told.vulnerability_id
          and (earlier.created_at, earlier.id) < (told.created_at, told.id)
        order by earlier.created_at desc, earlier.id desc limit 1
      ) as before
      where told.workspace_id = ${workspaceId} and ${within('told.created_at')}
        and told.assessment = 'NotAssessed' and not told.ignored
        and (before.assessment <> 'NotAssessed' or before.ignored)
    )`
}

const IN_TIME = sql`change.since >= rule.news_from and change.since < rule.window_end`

/** A match that becomes another, as its severity or score did, begins when the other ends: no news if that was wanted. */
const BEFORE_WAS_NOT_WANTED = sql`not exists (
  select from package_matches as before
  where before.package_id = change.package_id and before.vulnerability_id = change.vulnerability_id
    and before.since < change.since and before.until >= change.since and before.confidence <> 'Low'
    and ${isWanted(
      'before',
      sql`vulnerability.is_known_exploit and vulnerability.known_exploit_since <= change.since`,
    )})`

const SAME_VERSION = sql`fact.firmware_version_id = change.firmware_version_id`
const SAME_PACKAGE = sql`fact.package_id = change.package_id`
const SAME_VULNERABILITY = sql`match.vulnerability_id = change.vulnerability_id`

const SOURCES: readonly (Source & { isNews: RawBuilder<unknown> })[] = [
  {
    from: sql`changed_matches as change`,
    fact: SAME_PACKAGE,
    match: SAME_VULNERABILITY,
    isNews: sql`${IN_TIME} and ${BEFORE_WAS_NOT_WANTED}`,
  },
  {
    from: sql`changed_packages as change`,
    fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
    isNews: IN_TIME,
  },
  {
    from: sql`lately_exploited as change`,
    match: SAME_VULNERABILITY,
    isNews: sql`rule.wants_exploited and ${IN_TIME}`,
  },
  {
    from: sql`taken_back as change`,
    fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
    match: SAME_VULNERABILITY,
    isNews: IN_TIME,
  },
  {
    from: sql`newly_running as change`,
    fact: SAME_VERSION,
    isNews: sql`change.entry = rule.entry`,
  },
]

const idIn = (fact: string, match: string) =>
  encodedFindingId({
    firmwareVersionId: sql.ref(`${fact}.firmwareVersionId`),
    packageId: sql.ref(`${fact}.packageId`),
    vulnerabilityId: sql.ref(`${match}.vulnerabilityId`),
  })
const SERIES = idIn('fact', 'match')
export const NEWS_SERIES = idIn('news', 'news')

/** `found_news`: a finding may be in it by several of its reasons. At most as many by each as the rule has room for. */
export function foundNews(workspaceId: string): RawBuilder<unknown> {
  const each = SOURCES.map(
    ({ isNews, ...source }) => sql`(
      select ${COLUMNS} ${findingsThatHold(workspaceId, source)} and ${isNews}
        and (
          select true from alert_series as held
          where held.workspace_id = ${workspaceId} and held.rule_id = rule.rule_id and held.until is null
            and held.series = ${SERIES}
        ) is null
      limit rule.room)`,
  )
  return sql`
    found_news as materialized (
      select rule.entry, found.*
      from finding_rules as rule cross join lateral (${sql.join(each, sql` union all `)}) as found
    )`
}
