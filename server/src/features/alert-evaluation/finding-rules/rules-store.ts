/** Rules about new findings: the time they scan, and the tables that the scan reads them from. */
import { type RawBuilder, sql } from 'kysely'
import { decodeFindingIdSql } from '../../../formats/finding-id.ts'
import { HOUR_MS } from '../../../formats/instants.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { NewFindingCondition } from '../../alert-rules/index.ts'
import { type Cte, defineMaterialized, nameTable } from '../cte-store.ts'
import type { DueRule } from '../evaluation.ts'
import { findMax, findMin } from '../../../formats/extremes.ts'

export type FindingRule = Extract<DueRule, { condition: NewFindingCondition }>

/** The instants from which rules with a backlog still have to scan. */
export async function listFindingBacklogs(
  tx: Tx,
  workspaceId: string,
  ruleIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await tx
    .selectFrom('alertRules')
    .select(['id', 'findingsFrom'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ruleIds}::uuid[])`)
    .where('findingsFrom', 'is not', null)
    .$narrowType<{ findingsFrom: Date }>()
    .execute()
  return new Map(rows.map(({ id, findingsFrom }) => [id, findingsFrom]))
}

/**
 * A fact carries a time before its commit. A fact whose transaction takes less than this is found by the first evaluation
 * after the commit.
 */
const OVERLAP_MS = HOUR_MS

/** How many findings an evaluation adds to a rule, and how many fire at the same time. The others wait for the next evaluation. */
export const FINDING_LIMITS = { perEvaluation: 20_000, firing: 100_000 }
/** Findings that an evaluation adds to all rules. */
const MAX_ADDED = 100_000

interface ScannedRule {
  rule: FindingRule
  /** Where the backlog or the window begins. */
  scanFrom: Date
  /** Changes before it are not new to the rule. */
  newFrom: Date
  /** It has not yet looked at what was firing when it was switched off or changed. */
  resumes: boolean
}

export interface FindingScan {
  limits: typeof FINDING_LIMITS
  rules: readonly ScannedRule[]
  /** The time that the scans of all rules cover. */
  from: Date
  to: Date
}

export function planScan(
  rules: readonly FindingRule[],
  { backlogs, limits }: { backlogs: ReadonlyMap<string, Date>; limits: FindingScan['limits'] },
): FindingScan {
  const scanned = rules.map((rule): ScannedRule => {
    const scanFrom = backlogs.get(rule.id) ?? rule.windowStart
    const overlapping = scanFrom.getTime() - OVERLAP_MS
    const newFrom = new Date(Math.max(rule.effectiveSince.getTime(), overlapping))
    // A backlog may be of what the first evaluation had no room for.
    return { rule, scanFrom, newFrom, resumes: isFirst(rule) || backlogs.has(rule.id) }
  })
  const share = Math.ceil(MAX_ADDED / Math.max(1, rules.length))
  return {
    limits: { ...limits, perEvaluation: Math.min(limits.perEvaluation, share) },
    rules: scanned,
    from: new Date(findMin(scanned.map(({ newFrom }) => newFrom.getTime()))),
    to: new Date(findMax(scanned.map(({ rule }) => rule.windowEnd.getTime()))),
  }
}

/** The first evaluation since the rule was enabled or changed does not know yet which versions devices ran before. */
function isFirst({ evaluatedUntil, effectiveSince }: FindingRule): boolean {
  return evaluatedUntil === null || evaluatedUntil < effectiveSince
}

/** A rule of the scan. Queries that read the condition of a rule name this table `rule`. */
export interface FindingRuleRow {
  entry: number
  ruleId: string
  effectiveSince: Date
  scanFrom: Date
  newFrom: Date
  windowEnd: Date
  isFirst: boolean
  resumes: boolean
  severities: string[]
  isAnySeverity: boolean
  wantsExploited: boolean
  onlyRunning: boolean
  firmwareIds: string[]
  isAnyFirmware: boolean
  watchesPresent: boolean
}

/** A finding for which a rule is firing. */
interface FiringFindingRow {
  entry: number
  series: string
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
}

/** The tables that queries of a scan begin with. */
export const FINDING_RULES = nameTable<FindingRuleRow & { room: number }>('finding_rules')
export const FIRING_FINDINGS = nameTable<FiringFindingRow>('firing_findings')

/** Defines `FINDING_RULES` and `FIRING_FINDINGS`. */
export function defineRules(workspaceId: string, { rules, limits }: FindingScan): Cte<unknown>[] {
  const scanned = scannedRules(rules)
  const firing = defineMaterialized(
    FIRING_FINDINGS,
    sql<FiringFindingRow>`
      select rule.entry, held.series, ${sql.raw(decodeFindingIdSql('held.series'))}
      from alert_series as held join ${scanned.table} as rule on rule.rule_id = held.rule_id
      where held.workspace_id = ${workspaceId} and held.until is null
        and held.rule_id = any(${rules.map(({ rule }) => rule.id)}::uuid[])`,
  )
  const withRoom = defineMaterialized(
    FINDING_RULES,
    sql`
      select rule.*, least(${limits.perEvaluation}::bigint,
        greatest(0, ${limits.firing} - coalesce(held.amount, 0))) as room
      from ${scanned.table} as rule left join (
        select entry, count(*) as amount from ${firing.table} group by entry
      ) as held using (entry)`,
  )
  return [scanned, firing, withRoom]
}

function scannedRules(rules: readonly ScannedRule[]): Cte<FindingRuleRow> {
  const given = rules.map(({ rule, scanFrom, newFrom, resumes }, entry) => ({
    entry,
    ruleId: rule.id,
    effectiveSince: rule.effectiveSince,
    scanFrom,
    newFrom,
    windowEnd: rule.windowEnd,
    isFirst: isFirst(rule),
    resumes,
    ...rule.condition,
  }))
  return defineMaterialized(
    nameTable<FindingRuleRow>('scanned_rules'),
    scannedRuleRows(JSON.stringify(given)),
  )
}

function scannedRuleRows(given: string): RawBuilder<FindingRuleRow> {
  return sql`
    select entry, "ruleId" as rule_id, "effectiveSince" as effective_since, "scanFrom" as scan_from,
      "newFrom" as new_from, "windowEnd" as window_end, "isFirst" as is_first, resumes, severities,
      cardinality(severities) = 0 as is_any_severity, "knownCisaExploit" as wants_exploited,
      "onlyWhereDevicesRun" as only_running, "firmwareIds" as firmware_ids,
      cardinality("firmwareIds") = 0 as is_any_firmware, coalesce(watches = 'Present', false) as watches_present
    from json_to_recordset(${given}::json) as given (entry int, "ruleId" uuid,
      "effectiveSince" timestamptz, "scanFrom" timestamptz, "newFrom" timestamptz, "windowEnd" timestamptz,
      "isFirst" boolean, resumes boolean, severities text[], "knownCisaExploit" boolean, "onlyWhereDevicesRun" boolean,
      "firmwareIds" text[], watches text)`
}

/**
 * Whether an incident ended as findings were decided, not as all of them are gone: one that fired in it is still there, with a
 * decision, and devices still run it where the rule asks for that.
 */
export async function isEndedByDecision(
  tx: Tx,
  workspaceId: string,
  { incidentId, onlyRunning }: { incidentId: string; onlyRunning: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ isDecided: boolean }>`
    select exists (
      select from (
        select ${sql.raw(decodeFindingIdSql('held.series'))} from alert_series as held
        where held.workspace_id = ${workspaceId} and held.incident_id = ${incidentId}
      ) as fired
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = fired.firmware_version_id and fact.package_id = fired.package_id
        and fact.until is null
      join package_matches as match on match.package_id = fired.package_id
        and match.vulnerability_id = fired.vulnerability_id and match.until is null
      join finding_decisions as decision on decision.workspace_id = ${workspaceId}
        and decision.firmware_version_id = fired.firmware_version_id and decision.package_id = fired.package_id
        and decision.vulnerability_id = fired.vulnerability_id
        and (decision.ignored or decision.assessment <> 'NotAssessed')
      where not ${onlyRunning}::boolean or exists (
        select from firmware_set_device_counts as counts
        where counts.workspace_id = ${workspaceId} and counts.devices > 0
          and fired.firmware_version_id = any(counts.firmware_version_ids))
    ) as is_decided`.execute(tx)
  return rows[0]?.isDecided === true
}
