/**
 * Finds what is new to rules since their last evaluation. The query starts from changes (facts that began, decisions that
 * were withdrawn, firmware versions that devices began to run) and reads only the findings these lead to, never all findings.
 */
import { type RawBuilder, sql } from 'kysely'
import { decodeFindingIdSql, encodeFindingIdSql } from '../../../formats/finding-id.ts'
import { isActiveSql, isClosedSql } from '../../../formats/assessments.ts'
import { type Cte, defineMaterialized, nameTable } from '../cte-store.ts'
import { FINDING_RULES, type FindingScan } from './rules-store.ts'

interface MatchChange {
  packageId: string
  vulnerabilityId: string
  since: Date
}
interface PackageChange {
  firmwareVersionId: string
  packageId: string
  since: Date
}
type DecisionChange = MatchChange & { firmwareVersionId: string }
type InterruptedFinding = Omit<DecisionChange, 'since'> & { entry: number }
interface ExploitChange {
  vulnerabilityId: string
  since: Date
}
interface RunningVersion {
  firmwareVersionId: string
}

const CHANGED_MATCHES = nameTable<MatchChange>('changed_matches')
const CHANGED_PACKAGES = nameTable<PackageChange>('changed_packages')
const NEWLY_EXPLOITED = nameTable<ExploitChange>('newly_exploited')
const WITHDRAWN_DECISIONS = nameTable<DecisionChange>('withdrawn_decisions')
/** What was firing when its rule was switched off or changed. */
const INTERRUPTED = nameTable<InterruptedFinding>('interrupted_findings')
/** Firmware versions that devices run now. */
export const RUNNING_VERSIONS = nameTable<RunningVersion>('running_versions')
/** Running versions that are new to a rule. */
export const NEWLY_RUNNING = nameTable<RunningVersion & { entry: number }>('newly_running')

/** A query that leads to findings. It reads the table of changes as `change`. */
interface FindingSource {
  /** undefined: `change` is a table of the query around it. */
  changes: RawBuilder<unknown> | undefined
  /** Conditions on `firmware_version_packages as fact` and `package_matches as match`. */
  fact?: RawBuilder<unknown>
  match?: RawBuilder<unknown>
}

/** The severity in `match` or `before` is one the rule asks for, or the vulnerability is exploited and the rule asks for that. */
const isWanted = (table: 'match' | 'before', isExploited: RawBuilder<unknown>) => sql`(
  rule.is_any_severity or ${sql.ref(`${table}.severity`)} = any(rule.severities)
  or rule.wants_exploited and ${isExploited})`

/** The `from` and `where` of findings that are active now and meet the condition of the row `rule` of the query around it. */
export function selectWantedFindings(
  workspaceId: string,
  source: FindingSource,
): RawBuilder<unknown> {
  const { changes, fact = sql`true`, match = sql`true` } = source
  return sql`
    from ${changes ? sql`${changes} as change cross join` : sql``} firmware_version_packages as fact
    join package_matches as match
      on match.package_id = fact.package_id and match.until is null and ${match}
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.until is null and ${fact}
      and ${sql.raw(isActiveSql())}
      and (rule.watches_present or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
      and ${isWanted('match', sql`vulnerability.is_known_exploit`)}
      and (rule.is_any_firmware or fact.firmware_version_id in (
        select version.id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id::text = any(rule.firmware_ids)))
      and (not rule.only_running
        or fact.firmware_version_id in (select firmware_version_id from ${RUNNING_VERSIONS}))`
}

/**
 * Defines `RUNNING_VERSIONS` and `NEWLY_RUNNING`. At the first evaluation of a rule the devices say since when they run a
 * version; later evaluations compare with the versions that were recorded.
 */
export function defineRunningVersions(workspaceId: string): Cte<unknown>[] {
  const running = defineMaterialized(
    RUNNING_VERSIONS,
    sql<RunningVersion>`
      select distinct unnest(counts.firmware_version_ids) as firmware_version_id
      from firmware_set_device_counts as counts where counts.workspace_id = ${workspaceId} and counts.devices > 0`,
  )
  const newly = defineMaterialized(
    NEWLY_RUNNING,
    sql<RunningVersion & { entry: number }>`
      select rule.entry, running.firmware_version_id
      from ${FINDING_RULES} as rule cross join ${running.table} as running
      where rule.only_running and case when rule.is_first then not exists (
          select from device_firmwares as device
          where device.workspace_id = ${workspaceId} and device.firmware_version_id = running.firmware_version_id
            and device.since < rule.effective_since
        ) else not exists (
          select from alert_running_versions as known
          where known.workspace_id = ${workspaceId} and known.rule_id = rule.rule_id
            and known.firmware_version_id = running.firmware_version_id
        ) end`,
  )
  return [running, newly]
}

/** Defines the tables of changes, over the time that any of the rules scans. */
export function changeTables(workspaceId: string, { from, to }: FindingScan): Cte<unknown>[] {
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`
  return [
    defineMaterialized(
      CHANGED_MATCHES,
      sql<MatchChange>`
        select package_id, vulnerability_id, since from package_matches where ${within('since')}`,
    ),
    defineMaterialized(
      CHANGED_PACKAGES,
      sql<PackageChange>`
        select firmware_version_id, package_id, since from firmware_version_packages
        where workspace_id = ${workspaceId} and ${within('since')}`,
    ),
    defineMaterialized(
      NEWLY_EXPLOITED,
      sql<ExploitChange>`
        select id as vulnerability_id, known_exploit_since as since from vulnerabilities
        where is_known_exploit and ${within('known_exploit_since')}`,
    ),
    defineMaterialized(
      WITHDRAWN_DECISIONS,
      sql<DecisionChange>`
        select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.created_at as since
        from finding_timeline as entry cross join lateral (
          select earlier.assessment, earlier.ignored from finding_timeline as earlier
          where earlier.workspace_id = ${workspaceId} and earlier.firmware_version_id = entry.firmware_version_id
            and earlier.package_id = entry.package_id and earlier.vulnerability_id = entry.vulnerability_id
            and (earlier.created_at, earlier.id) < (entry.created_at, entry.id)
          order by earlier.created_at desc, earlier.id desc limit 1
        ) as before
        where entry.workspace_id = ${workspaceId} and ${within('entry.created_at')}
          and not entry.ignored and (
            entry.assessment = 'NotAssessed' and (before.assessment <> 'NotAssessed' or before.ignored)
            or ${sql.raw(isClosedSql('before.assessment'))} or before.ignored)`,
    ),
    defineMaterialized(
      INTERRUPTED,
      sql<InterruptedFinding>`
        select distinct rule.entry, ${sql.raw(decodeFindingIdSql('held.series'))}
        from ${FINDING_RULES} as rule
        join alert_incidents as incident on incident.workspace_id = ${workspaceId} and incident.rule_id = rule.rule_id
          and incident.ended_cause in ('RuleDisabled', 'RuleChanged')
        join alert_series as held on held.workspace_id = ${workspaceId} and held.incident_id = incident.id
          and held.until >= incident.ended_at
        where rule.resumes`,
    ),
  ]
}

const IS_NEW = sql`change.since >= rule.new_from and change.since < rule.window_end`

/**
 * A match whose severity or score changes ends, and another begins at the same time. It is not new to a rule that wanted the
 * one before.
 */
const BEFORE_WAS_NOT_WANTED = sql`not exists (
  select from package_matches as before
  where before.package_id = change.package_id and before.vulnerability_id = change.vulnerability_id
    and before.since < change.since and before.until >= change.since and before.confidence <> 'Low'
    and ${isWanted(
      'before',
      sql`vulnerability.is_known_exploit and vulnerability.known_exploit_since <= change.since`,
    )})`

export const SAME_VERSION = sql`fact.firmware_version_id = change.firmware_version_id`
export const SAME_PACKAGE = sql`fact.package_id = change.package_id`
export const SAME_VULNERABILITY = sql`match.vulnerability_id = change.vulnerability_id`

const SOURCES: readonly (FindingSource & { isNew: RawBuilder<unknown> })[] = [
  {
    changes: CHANGED_MATCHES,
    fact: SAME_PACKAGE,
    match: SAME_VULNERABILITY,
    isNew: sql`${IS_NEW} and ${BEFORE_WAS_NOT_WANTED}`,
  },
  {
    changes: CHANGED_PACKAGES,
    fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
    isNew: IS_NEW,
  },
  {
    changes: NEWLY_EXPLOITED,
    match: SAME_VULNERABILITY,
    isNew: sql`rule.wants_exploited and ${IS_NEW}`,
  },
  {
    changes: WITHDRAWN_DECISIONS,
    fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
    match: SAME_VULNERABILITY,
    isNew: IS_NEW,
  },
  {
    changes: NEWLY_RUNNING,
    fact: SAME_VERSION,
    isNew: sql`change.entry = rule.entry`,
  },
  {
    changes: INTERRUPTED,
    fact: sql`${SAME_VERSION} and ${SAME_PACKAGE}`,
    match: SAME_VULNERABILITY,
    isNew: sql`change.entry = rule.entry`,
  },
]

export interface NewFindingRow {
  entry: number
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  componentName: string | null
  componentVersion: string | null
  severity: string | null
  score: string | null
  isKnownExploit: boolean
}

const COLUMNS = sql`fact.firmware_version_id, fact.package_id, match.vulnerability_id,
  fact.component_name, fact.component_version, match.severity, match.score, vulnerability.is_known_exploit`

const FINDING_ID = sql.raw(
  encodeFindingIdSql({
    firmwareVersionId: 'fact.firmware_version_id',
    packageId: 'fact.package_id',
    vulnerabilityId: 'match.vulnerability_id',
  }),
)

/**
 * A finding occurs once for each source that leads to it. A source yields at most as many findings as the rule has room for.
 * Findings that fire already are left out.
 */
export function defineNewFindings(workspaceId: string): Cte<NewFindingRow> {
  const bySource = SOURCES.map(
    ({ isNew, ...source }) => sql`(
      select ${COLUMNS} ${selectWantedFindings(workspaceId, source)} and ${isNew}
        and (
          select true from alert_series as held
          where held.workspace_id = ${workspaceId} and held.rule_id = rule.rule_id and held.until is null
            and held.series = ${FINDING_ID}
        ) is null
      limit rule.room)`,
  )
  return defineMaterialized(
    nameTable<NewFindingRow>('new_findings'),
    sql`
      select rule.entry, found.*
      from ${FINDING_RULES} as rule cross join lateral (${sql.join(bySource, sql` union all `)}) as found`,
  )
}
