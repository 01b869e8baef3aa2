/** Records which series of rules begin and stop firing, in one statement with the queries that find them. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'
import { defineChange, type Cte, defineMaterialized, nameTable, withCtes } from './cte-store.ts'
import type { DueRule, Outcome, RuleVerdict } from './evaluation.ts'
import { HASH_JOINS, withPlannerSettings } from './statement-settings-store.ts'

export interface EvaluatedRule {
  /** The place of the rule in the list of evaluated rules. */
  entry: number
  ruleId: string
  incidentId: string
  at: Date
}

export interface RuleSeries {
  entry: number
  series: string
}

interface MeetingSeries extends RuleSeries {
  label: string | null
  value: number | null
}

interface RuleTotals {
  entry: number
  seriesCount: number
  valueCount: number
  lowest: number | null
  highest: number | null
}

/** Tables that the queries of an evaluator may read. */
export const EVALUATED_RULES = nameTable<EvaluatedRule>('evaluated_rules')
/** Series that fire so far. */
export const OPEN_SERIES = nameTable<RuleSeries>('open_series')

/** What an evaluator finds, as queries. */
export interface VerdictQueries {
  /** Read by the queries below. */
  ctes: readonly Cte<unknown>[]
  /** Series that meet the condition, each once. */
  meeting: RawBuilder<MeetingSeries>
  /** Series that keep firing if they fire, although nothing shows that they still meet the condition. */
  kept?: RawBuilder<RuleSeries>
  /** At most one row for each rule. */
  totals: (meeting: RawBuilder<MeetingSeries>) => RawBuilder<RuleTotals>
}

const NONE_KEPT = sql<RuleSeries>`select 0 as entry, '' as series where false`

interface VerdictInput {
  rules: readonly DueRule[]
  queries: VerdictQueries
}

/** Outcomes by the ids of rules. */
export async function recordVerdicts(
  tx: Tx,
  workspaceId: string,
  { rules, queries }: VerdictInput,
): Promise<Map<string, Outcome>> {
  const meeting = defineMaterialized(nameTable<MeetingSeries>('meeting_series'), queries.meeting)
  const kept = defineMaterialized(nameTable<RuleSeries>('kept_series'), queries.kept ?? NONE_KEPT)
  const totals = defineMaterialized(
    nameTable<RuleTotals>('rule_totals'),
    queries.totals(meeting.table),
  )
  const scope = { workspaceId, rules }
  const ended = endedSeries(scope, { meeting: meeting.table, kept: kept.table })
  const started = startedSeries(workspaceId, meeting.table)
  const given = [evaluatedRules(rules), openSeries(scope)]
  const statement = sql<Outcome & { ruleId: string }>`
    ${withCtes([...given, ...queries.ctes, meeting, kept, totals, ended, started])}
    select rule.rule_id, coalesce(totals.series_count, 0)::int as series_count,
      coalesce(totals.value_count, 0)::int as value_count, totals.lowest, totals.highest,
      coalesce(counts.meeting, 0)::int as meeting_count, coalesce(counts.firing, 0)::int as firing_count
    from ${EVALUATED_RULES} as rule left join ${totals.table} as totals using (entry) left join (
      select entry, count(*) filter (where kind = 'meeting') as meeting,
        sum(case kind when 'open' then 1 when 'started' then 1 when 'ended' then -1 else 0 end) as firing
      from (
        select entry, 'meeting' as kind from ${meeting.table} union all select entry, 'open' from ${OPEN_SERIES}
        union all select entry, 'ended' from ${ended.table}
        union all select entry, 'started' from ${started.table} join ${EVALUATED_RULES} using (rule_id)
      ) as each group by entry
    ) as counts using (entry)`
  const { rows } = await withPlannerSettings(tx, HASH_JOINS, () => statement.execute(tx))
  return new Map(rows.map(({ ruleId, ...outcome }) => [ruleId, outcome]))
}

interface Scope {
  workspaceId: string
  rules: readonly DueRule[]
}

function evaluatedRules(rules: readonly DueRule[]): Cte<EvaluatedRule> {
  return defineMaterialized(
    EVALUATED_RULES,
    sql`
      select (position - 1)::int as entry, rule_id, incident_id, to_timestamp(at / 1000) as at
      from unnest(
        ${rules.map(({ id }) => id)}::uuid[], ${rules.map(({ seriesIncidentId }) => seriesIncidentId)}::uuid[],
        ${rules.map(({ scheduledAt }) => scheduledAt.getTime())}::float8[]
      ) with ordinality as given (rule_id, incident_id, at, position)`,
  )
}

/** The rules are locked, so that no other transaction changes their series. */
function isOpen({ workspaceId, rules }: Scope): RawBuilder<unknown> {
  return sql`held.workspace_id = ${workspaceId} and held.rule_id = any(${rules.map(({ id }) => id)}::uuid[])
    and held.until is null`
}

function openSeries(scope: Scope): Cte<RuleSeries> {
  return defineMaterialized(
    OPEN_SERIES,
    sql`
      select rule.entry, held.series
      from alert_series as held join ${EVALUATED_RULES} as rule using (rule_id)
      where ${isOpen(scope)}`,
  )
}

function endedSeries(
  scope: Scope,
  { meeting, kept }: { meeting: RawBuilder<MeetingSeries>; kept: RawBuilder<RuleSeries> },
): Cte<{ entry: number }> {
  return defineChange(
    nameTable<{ entry: number }>('ended_series'),
    sql`
      update alert_series as held set until = rule.at
      from ${OPEN_SERIES} as open join ${EVALUATED_RULES} as rule using (entry)
      where ${isOpen(scope)} and held.rule_id = rule.rule_id and held.series = open.series
        and not exists (
          select from ${meeting} as meeting where meeting.entry = open.entry and meeting.series = open.series
        ) and not exists (
          select from ${kept} as kept where kept.entry = open.entry and kept.series = open.series
        )
      returning rule.entry`,
  )
}

function startedSeries(
  workspaceId: string,
  meeting: RawBuilder<MeetingSeries>,
): Cte<{ ruleId: string }> {
  return defineChange(
    nameTable<{ ruleId: string }>('started_series'),
    sql`
      insert into alert_series (workspace_id, rule_id, incident_id, series, since, label, value)
      select ${workspaceId}, rule.rule_id, rule.incident_id, meeting.series, rule.at, meeting.label, meeting.value
      from ${meeting} as meeting join ${EVALUATED_RULES} as rule using (entry)
      where not exists (
        select from ${OPEN_SERIES} as open
        where open.entry = meeting.entry and open.series = meeting.series
      )
      on conflict (workspace_id, incident_id, series, since) do update set until = null, value = excluded.value
      returning rule_id`,
  )
}

/** Hands verdicts that were found in TypeScript to the database, in the order of their rules. */
export function selectComputedVerdicts(verdicts: readonly RuleVerdict[]): VerdictQueries {
  const meeting = verdicts.flatMap((verdict, entry) =>
    verdict.meeting.map((series) => ({ entry, ...series })),
  )
  const kept = verdicts.flatMap((verdict, entry) =>
    verdict.kept.map((series) => ({ entry, series })),
  )
  const totals = (of: (verdict: RuleVerdict) => number | null) => verdicts.map(of)
  return {
    ctes: [],
    meeting: sql`
      select entry, series, label, value
      from unnest(
        ${meeting.map(({ entry }) => entry)}::int[], ${meeting.map(({ series }) => series)}::text[],
        ${meeting.map(({ label }) => label ?? null)}::text[], ${meeting.map(({ value }) => value)}::float8[]
      ) as given (entry, series, label, value)`,
    kept: sql`
      select entry, series
      from unnest(${kept.map(({ entry }) => entry)}::int[], ${kept.map(({ series }) => series)}::text[])
        as given (entry, series)`,
    totals: () => sql`
      select (position - 1)::int as entry, series_count, value_count, lowest, highest
      from unnest(
        ${totals(({ seriesCount }) => seriesCount)}::int[], ${totals(({ valueCount }) => valueCount)}::int[],
        ${totals(({ lowest }) => lowest)}::float8[], ${totals(({ highest }) => highest)}::float8[]
      ) with ordinality as given (series_count, value_count, lowest, highest, position)`,
  }
}
