/** Takes down which series of rules begin and cease to fire, in the statement that judges them. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'
import type { DueRule, Outcome } from './evaluation.ts'
import { AS_SETS, planned } from './statement-settings-store.ts'

/**
 * Common table expressions that speak of rules by their place in a list. They may use `judged_rules (entry, rule_id,
 * incident_id, at)` and `open (entry, series)`, what fires so far, and define:
 * - `firing (entry, series, label, value)`: series that meet the condition, each once;
 * - `kept (entry, series)`: series that stay firing if they are, though nothing says that they should;
 * - `measured (entry, series_count, value_count, lowest, highest)`: at most one row for each rule.
 */
export type Judgement = RawBuilder<unknown>

/** Outcomes by the ids of rules. */
export async function settleSeries(
  tx: Tx,
  workspaceId: string,
  { rules, judgement }: { rules: readonly DueRule[]; judgement: Judgement },
): Promise<Map<string, Outcome>> {
  const ruleIds = rules.map(({ id }) => id)
  // The rules are locked, so that nobody else begins or ends a series of theirs.
  const isOpen = sql`held.workspace_id = ${workspaceId} and held.rule_id = any(${ruleIds}::uuid[])
    and held.until is null`
  const statement = sql<Outcome & { ruleId: string }>`
    with judged_rules as materialized (
      select (position - 1)::int as entry, rule_id, incident_id, to_timestamp(at / 1000) as at
      from unnest(
        ${ruleIds}::uuid[], ${rules.map(({ seriesIncidentId }) => seriesIncidentId)}::uuid[],
        ${rules.map(({ scheduledAt }) => scheduledAt.getTime())}::float8[]
      ) with ordinality as given (rule_id, incident_id, at, position)
    ), open as materialized (
      select rule.entry, held.series
      from alert_series as held join judged_rules as rule using (rule_id)
      where ${isOpen}
    ), ${judgement}, over as (
      select entry, series from open
      where not exists (
        select from firing where firing.entry = open.entry and firing.series = open.series
      ) and not exists (select from kept where kept.entry = open.entry and kept.series = open.series)
    ), ended as (
      update alert_series as held set until = rule.at
      from over join judged_rules as rule using (entry)
      where ${isOpen} and held.rule_id = rule.rule_id and held.series = over.series
      returning rule.entry
    ), begun as (
      insert into alert_series (workspace_id, rule_id, incident_id, series, since, label, value)
      select ${workspaceId}, rule.rule_id, rule.incident_id, firing.series, rule.at, firing.label, firing.value
      from firing join judged_rules as rule using (entry)
      where not exists (
        select from open where open.entry = firing.entry and open.series = firing.series
      )
      returning rule_id
    ), moved as (
      select entry, count(*) filter (where what = 'meeting') as meeting,
        sum(case what when 'open' then 1 when 'begun' then 1 when 'ended' then -1 else 0 end) as firing
      from (
        select entry, 'meeting' as what from firing union all select entry, 'open' from open
        union all select entry, 'ended' from ended
        union all select entry, 'begun' from begun join judged_rules using (rule_id)
      ) as each group by entry
    )
    select rule.rule_id, coalesce(measured.series_count, 0)::int as series_count,
      coalesce(measured.value_count, 0)::int as value_count, measured.lowest, measured.highest,
      coalesce(moved.meeting, 0)::int as meeting_count, coalesce(moved.firing, 0)::int as firing_count
    from judged_rules as rule left join measured using (entry) left join moved using (entry)`
  const { rows } = await planned(tx, AS_SETS, () => statement.execute(tx))
  return new Map(rows.map(({ ruleId, ...outcome }) => [ruleId, outcome]))
}
