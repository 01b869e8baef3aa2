/** Rules about new findings as their judgement reads them. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import { decodedFindingId } from '../../findings/index.ts'
import type { NewFindingCondition } from '../../alert-rules/index.ts'
import type { DueRule } from '../evaluation.ts'

export type FindingRule = Extract<DueRule, { condition: NewFindingCondition }>

/** Since when what became true is not wholly looked at, of rules that are behind. */
export async function listFindingBacklogs(
  tx: Tx,
  workspaceId: string,
  ruleIds: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; findingsFrom: Date }>`
    select id, findings_from from alert_rules
    where workspace_id = ${workspaceId} and id = any(${ruleIds}::uuid[]) and findings_from is not null`.execute(
    tx,
  )
  return new Map(rows.map(({ id, findingsFrom }) => [id, findingsFrom]))
}

/**
 * A fact bears a time before that of its commit: one whose transaction lasts less than this is seen by the first
 * evaluation after it.
 */
const OVERLAP_MS = 3_600_000

/** What one evaluation takes down of a rule, and what fires of it at the same time. The rest waits its turn. */
export const FINDING_LIMITS = { together: 20_000, atOnce: 100_000 }
/** Of all rules that are evaluated together. */
const MOST_TOGETHER = 100_000

export interface LookedAt {
  limits: typeof FINDING_LIMITS
  rules: readonly (FindingRule & { lookFrom: Date; newsFrom: Date })[]
  /** Of all of them. */
  from: Date
  to: Date
}

export function lookedAt(
  rules: readonly FindingRule[],
  { backlogs, limits }: { backlogs: ReadonlyMap<string, Date>; limits: LookedAt['limits'] },
): LookedAt {
  const looking = rules.map((rule) => {
    const lookFrom = backlogs.get(rule.id) ?? rule.windowStart
    const overlapping = lookFrom.getTime() - OVERLAP_MS
    return {
      ...rule,
      lookFrom,
      newsFrom: new Date(Math.max(rule.effectiveSince.getTime(), overlapping)),
    }
  })
  const times = (of: (rule: (typeof looking)[number]) => Date) =>
    looking.map((rule) => of(rule).getTime())
  const share = Math.ceil(MOST_TOGETHER / Math.max(1, rules.length))
  return {
    limits: { ...limits, together: Math.min(limits.together, share) },
    rules: looking,
    from: new Date(Math.min(...times(({ newsFrom }) => newsFrom))),
    to: new Date(Math.max(...times(({ windowEnd }) => windowEnd))),
  }
}

/** No evaluation since it was enabled or changed: what devices ran then is to be found out. */
function isFirst({ evaluatedUntil, effectiveSince }: FindingRule): boolean {
  return evaluatedUntil === null || evaluatedUntil < effectiveSince
}

/** `finding_rules`; `watched`: the findings that fire of each; both by the place of the rule in the list. */
export function findingRules(
  workspaceId: string,
  { rules, limits }: LookedAt,
): RawBuilder<unknown> {
  const asked = rules.map((rule, entry) => ({
    entry,
    ruleId: rule.id,
    effectiveSince: rule.effectiveSince,
    lookFrom: rule.lookFrom,
    newsFrom: rule.newsFrom,
    windowEnd: rule.windowEnd,
    isFirst: isFirst(rule),
    ...rule.condition,
  }))
  return sql`
    asked_rules as materialized (
      select entry, "ruleId" as rule_id, "effectiveSince" as effective_since, "lookFrom" as look_from,
        "newsFrom" as news_from, "windowEnd" as window_end, "isFirst" as is_first, severities,
        cardinality(severities) = 0 as is_any_severity, "knownCisaExploit" as wants_exploited,
        "onlyWhereDevicesRun" as only_running, "firmwareIds" as firmware_ids,
        cardinality("firmwareIds") = 0 as is_any_firmware
      from json_to_recordset(${JSON.stringify(asked)}::json) as given (entry int, "ruleId" uuid,
        "effectiveSince" timestamptz, "lookFrom" timestamptz, "newsFrom" timestamptz, "windowEnd" timestamptz,
        "isFirst" boolean, severities text[], "knownCisaExploit" boolean, "onlyWhereDevicesRun" boolean,
        "firmwareIds" text[])
    ), watched as materialized (
      select rule.entry, held.series, ${decodedFindingId(sql`held.series`)}
      from alert_series as held join asked_rules as rule on rule.rule_id = held.rule_id
      where held.workspace_id = ${workspaceId} and held.until is null
        and held.rule_id = any(${rules.map(({ id }) => id)}::uuid[])
    ), finding_rules as materialized (
      select rule.*, least(${limits.together}::bigint,
        greatest(0, ${limits.atOnce} - coalesce(held.amount, 0))) as room
      from asked_rules as rule
      left join (select entry, count(*) as amount from watched group by entry) as held using (entry)
    )`
}
