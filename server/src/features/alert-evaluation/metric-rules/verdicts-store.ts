import { sql } from 'kysely'
import type { Verdict } from './evaluator.ts'
import type { Judgement } from '../verdicts-store.ts'

/** Of verdicts that were reached outside of the database, in the order of their rules. */
export function givenJudgement(verdicts: readonly Verdict[]): Judgement {
  const meeting = verdicts.flatMap((verdict, entry) =>
    verdict.meeting.map((series) => ({ entry, ...series })),
  )
  const silent = verdicts.flatMap((verdict, entry) =>
    verdict.silent.map((series) => ({ entry, series })),
  )
  const totals = (of: (verdict: Verdict) => number | null) => verdicts.map(of)
  return sql`
    firing as materialized (
      select entry, series, null::text as label, value
      from unnest(
        ${meeting.map(({ entry }) => entry)}::int[], ${meeting.map(({ series }) => series)}::text[],
        ${meeting.map(({ value }) => value)}::float8[]
      ) as given (entry, series, value)
    ), kept as materialized (
      select entry, series
      from unnest(${silent.map(({ entry }) => entry)}::int[], ${silent.map(({ series }) => series)}::text[])
        as given (entry, series)
    ), measured as materialized (
      select (position - 1)::int as entry, series_count, value_count, lowest, highest
      from unnest(
        ${totals(({ seriesCount }) => seriesCount)}::int[], ${totals(({ valueCount }) => valueCount)}::int[],
        ${totals(({ lowest }) => lowest)}::float8[], ${totals(({ highest }) => highest)}::float8[]
      ) with ordinality as given (series_count, value_count, lowest, highest, position)
    )`
}
