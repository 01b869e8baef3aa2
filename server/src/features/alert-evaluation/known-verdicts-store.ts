/** A judgement of rules whose series are few and known already. */
import { sql } from 'kysely'
import type { Judgement } from './verdicts-store.ts'

export interface ToldSeries {
  /** The place of the rule in the list. */
  entry: number
  series: string
  label: string
  value: number | null
  isFiring: boolean
}

/** No rule is without data: of one that has no series it is known that nothing fires. */
export function toldJudgement(told: readonly ToldSeries[], ruleCount: number): Judgement {
  return sql`
    told as materialized (
      select * from unnest(
        ${told.map(({ entry }) => entry)}::int[], ${told.map(({ series }) => series)}::text[],
        ${told.map(({ label }) => label)}::text[], ${told.map(({ value }) => value)}::float8[],
        ${told.map(({ isFiring }) => isFiring)}::boolean[]
      ) as given (entry, series, label, value, is_firing)
    ), firing as (
      select entry, series, label, value from told where is_firing
    ), kept as (
      select entry, series from told where false
    ), measured as (
      select rule.entry, count(told.series) as series_count, greatest(count(told.series), 1) as value_count,
        min(told.value) as lowest, max(told.value) as highest
      from generate_series(0, ${ruleCount}::int - 1) as rule (entry) left join told using (entry)
      group by rule.entry
    )`
}
