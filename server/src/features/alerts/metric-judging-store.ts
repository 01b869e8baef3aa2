/** Which series of metric rules meet their conditions: all rules, devices and windows in one statement. */
import { type RawBuilder, sql } from 'kysely'
import type { Aggregation } from '../telemetry/index.ts'
import type { MetricCondition } from './condition.ts'
import type { DueRule, Instants } from './evaluation.ts'
import type { Judgement } from './settle-store.ts'

export type MetricRule = Extract<DueRule, { condition: MetricCondition }>

interface Span {
  from: number
  to: number
}

/** What many rules may ask for alike, each once. */
class Distinct<Value> {
  readonly values: Value[] = []
  private readonly places = new Map<string, number>()

  place(value: Value): number {
    const key = JSON.stringify(value)
    const known = this.places.get(key)
    if (known !== undefined) return known
    this.places.set(key, this.values.length)
    return this.values.push(value) - 1
  }
}

interface Selection {
  metric: string
  labels: string
  cohortId: string | null
  byDevice: boolean
}

interface Measure {
  selection: number
  span: number
  /** The window before, where the change against it is asked for. */
  baseSpan: number | null
  aggregation: Aggregation
}

/** The window before: as long, and ending where this one begins. */
function spanBefore({ windowStart, windowEnd }: Instants): Span {
  const [from, to] = [windowStart.getTime(), windowEnd.getTime()]
  return { from: from - (to - from), to: from }
}

function shapeOf(rules: readonly MetricRule[]) {
  const spans = new Distinct<Span>()
  const selections = new Distinct<Selection>()
  const measures = new Distinct<Measure>()
  const entries = rules.map((rule) => {
    const { windowStart, windowEnd, type, condition } = rule
    const { metric, labels, deploymentCohortId: cohortId, aggregation, groupBy } = condition
    const named = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return measures.place({
      selection: selections.place({
        metric,
        labels: JSON.stringify(Object.fromEntries(named)),
        cohortId,
        byDevice: groupBy === 'Device',
      }),
      span: spans.place({ from: windowStart.getTime(), to: windowEnd.getTime() }),
      baseSpan: type === 'MetricPercentualThreshold' ? spans.place(spanBefore(rule)) : null,
      aggregation,
    })
  })
  return { spans: spans.values, selections: selections.values, measures: measures.values, entries }
}

/** Each window on its own, so that only the days it reaches into are looked at. */
function pointsOf(workspaceId: string, spans: readonly Span[]): RawBuilder<unknown> {
  const each = spans.map(
    ({ from, to }, span) => sql`
      select ${span}::int as span, point.series_id, sum(point.sum) as sum,
        sum(coalesce(point.count, 1))::float8 as count, min(coalesce(point.min, point.sum)) as min,
        max(coalesce(point.max, point.sum)) as max,
        max(array[extract(epoch from point.time)::float8, point.sum / coalesce(point.count, 1)]) as last
      from metric_points as point
      where point.workspace_id = ${workspaceId} and point.time >= ${new Date(from)} and point.time < ${new Date(to)}
        and point.series_id in (select id from chosen)
      group by point.series_id`,
  )
  return sql.join(each, sql` union all `)
}

/** As in the queries of metrics: what a device summed up counts as the points it is made of. */
const VALUE = sql`case measure.aggregation
  when 'Average' then sum(point.sum) / sum(point.count)
  when 'Minimum' then min(point.min)
  when 'Maximum' then max(point.max)
  when 'Sum' then sum(point.sum)
  when 'Count' then sum(point.count)
  when 'Last' then (max(point.last))[2]
end`

/** A change in percent of nothing is no number: such a series has no value. */
const CHANGE = sql`case
  when measure.base_span is null then now.value
  when base.value <> 0 then (now.value - base.value) / abs(base.value) * 100
end`

export function metricJudgement(workspaceId: string, rules: readonly MetricRule[]): Judgement {
  const { spans, selections, measures, entries } = shapeOf(rules)
  const of = (column: (condition: MetricCondition) => unknown) =>
    rules.map(({ condition }) => column(condition))
  return sql`
    selections as materialized (
      select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id, by_device
      from unnest(
        ${selections.map(({ metric }) => metric)}::text[], ${selections.map(({ labels }) => labels)}::text[],
        ${selections.map(({ cohortId }) => cohortId)}::uuid[], ${selections.map(({ byDevice }) => byDevice)}::boolean[]
      ) with ordinality as given (metric, labels, cohort_id, by_device, position)
    ), chosen as materialized (
      select selection.selection, series.id, case when selection.by_device then series.device_id else '' end as series
      from selections as selection join metric_series as series
        on series.workspace_id = ${workspaceId} and series.name = selection.metric
          and series.labels @> selection.labels
      where selection.cohort_id is null or exists (
        select from devices as device where device.workspace_id = ${workspaceId}
          and device.id = series.device_id and device.cohort_id = selection.cohort_id)
    ), points as materialized (${pointsOf(workspaceId, spans)}),
    measures as materialized (
      select (position - 1)::int as measure, selection, span, base_span, aggregation
      from unnest(
        ${measures.map(({ selection }) => selection)}::int[], ${measures.map(({ span }) => span)}::int[],
        ${measures.map(({ baseSpan }) => baseSpan)}::int[], ${measures.map(({ aggregation }) => aggregation)}::text[]
      ) with ordinality as given (selection, span, base_span, aggregation, position)
    ), groups as materialized (
      select distinct selection, series from chosen
      union select selection, '' from selections where not by_device
    ), present as materialized (${valuesOf(sql.ref('measure.span'))}),
    before as materialized (${valuesOf(sql.ref('measure.base_span'))}),
    found as materialized (
      select measure.measure, groups.series, ${CHANGE} as value
      from measures as measure join groups using (selection)
        left join present as now on now.measure = measure.measure and now.series = groups.series
        left join before as base on base.measure = measure.measure and base.series = groups.series
    ), measure_totals as materialized (
      select measure, count(*) as series_count, count(value) as value_count, min(value) as lowest, max(value) as highest
      from found group by measure
    ), entries as materialized (
      select (position - 1)::int as entry, measure, case when operator like 'Less%' then -1 else 1 end as sign,
        operator like '%OrEqual' as reaches, threshold, on_no_data
      from unnest(
        ${entries}::int[], ${of(({ operator }) => operator)}::text[],
        ${of(({ threshold }) => threshold)}::float8[], ${of(({ onNoData }) => onNoData)}::text[]
      ) with ordinality as given (measure, operator, threshold, on_no_data, position)
    ), firing as materialized (
      select entries.entry, found.series, null::text as label, found.value
      from entries join found using (measure)
      where case when found.value is null then entries.on_no_data = 'Fire'
        else entries.sign * found.value > entries.sign * entries.threshold
          or entries.reaches and found.value = entries.threshold end
    ), kept as (
      select entries.entry, found.series from entries join found using (measure)
      where entries.on_no_data = 'Keep' and found.value is null
    ), measured as (
      select entries.entry, totals.series_count, totals.value_count, totals.lowest, totals.highest
      from entries join measure_totals as totals using (measure)
    )`
}

function valuesOf(span: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select measure.measure, chosen.series, ${VALUE} as value
    from measures as measure join chosen using (selection)
      join points as point on point.span = ${span} and point.series_id = chosen.id
    group by measure.measure, measure.aggregation, chosen.series`
}
