/**
 * Counters of active findings, by firmware version and severity. Each change of findings moves them in the same
 * transaction, under these locks: firmware versions first, then packages, each in the order of their ids
 * (docs/design/findings.md).
 */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../formats/advisories/model.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DerivedRows } from '../../platform/doctor/check.ts'
import { CLOSED_ASSESSMENTS, CONFIRMED_ASSESSMENTS } from './assessment.ts'
import type { ChangedMatch } from '../matching/index.ts'

/** A finding is not active when it is ignored or closed, or when its confidence is low and nobody confirmed it. */
export function isActiveSql(state: {
  assessment: RawBuilder<unknown>
  ignored: RawBuilder<unknown>
  confidence: RawBuilder<unknown>
}): RawBuilder<unknown> {
  const { assessment, ignored, confidence } = state
  return sql`(not ${ignored} and ${assessment} <> all(${[...CLOSED_ASSESSMENTS]}::text[])
    and (${confidence} <> 'Low' or ${assessment} = any(${[...CONFIRMED_ASSESSMENTS]}::text[])))`
}

/** Whether a finding without a decision is active. */
const countsAlone = (confidence: RawBuilder<unknown>) => sql`(${confidence} <> 'Low')`

const COLUMNS = SEVERITIES.map((severity) => ({
  severity,
  column: sql.ref(severity.toLowerCase()),
}))
const columns = sql.join(COLUMNS.map(({ column }) => column))
const sums = (amount: RawBuilder<unknown>) =>
  sql.join(
    COLUMNS.map(
      ({ severity, column }) =>
        sql`coalesce(sum(${amount}) filter (where severity = ${severity}), 0)::int as ${column}`,
    ),
  )

/** Adds the amounts in `moved (workspace_id, firmware_version_id, severity, amount)` to the counters, in key order. */
export const addingMoved = (at: Date) => sql`
  totals as (
    select workspace_id, firmware_version_id, ${sums(sql`amount`)}
    from moved group by workspace_id, firmware_version_id
  ), held as (
    select counters.workspace_id, counters.firmware_version_id
    from firmware_version_counters as counters join totals using (workspace_id, firmware_version_id)
    order by counters.workspace_id, counters.firmware_version_id for no key update of counters
  )
  update firmware_version_counters as counters set evaluated_at = greatest(evaluated_at, ${at}),
    ${sql.join(COLUMNS.map(({ column }) => sql`${column} = counters.${column} + totals.${column}`))}
  from totals join held using (workspace_id, firmware_version_id)
  where counters.workspace_id = totals.workspace_id
    and counters.firmware_version_id = totals.firmware_version_id`

/**
 * Moves the counters for changed matches; the packages are locked exclusively. Most findings have no decision and count
 * alike in all versions, so their amounts are computed once a package. Findings with a decision are corrected one by one.
 */
export async function updateCountersOfMatches(
  tx: Tx,
  changes: readonly ChangedMatch[],
  at: Date,
): Promise<void> {
  if (changes.length === 0) return
  const state = { assessment: sql`decision.assessment`, ignored: sql`decision.ignored` }
  const side = (name: 'old' | 'new') => ({
    confidence: sql.ref(`changed.${name}Confidence`),
    severity: sql.ref(`changed.${name}Severity`),
  })
  const corrected = (name: 'old' | 'new') => {
    const { confidence } = side(name)
    return sql`(case when ${confidence} is null then 0
      else ${isActiveSql({ ...state, confidence })}::int - ${countsAlone(confidence)}::int end)`
  }
  await sql`
    with changed as materialized (
      select "packageId" as package_id, "vulnerabilityId" as vulnerability_id,
        "oldConfidence" as old_confidence, "oldSeverity" as old_severity,
        "newConfidence" as new_confidence, "newSeverity" as new_severity
      from json_to_recordset(${JSON.stringify(changes)}::json) as input ("packageId" uuid, "vulnerabilityId" text,
        "oldConfidence" text, "oldSeverity" text, "newConfidence" text, "newSeverity" text)
    ), by_package as (
      select package_id, severity, sum(amount)::int as amount
      from (
        select package_id, old_severity as severity, -1 as amount from changed
        where ${countsAlone(sql`old_confidence`)}
        union all
        select package_id, new_severity, 1 from changed where ${countsAlone(sql`new_confidence`)}
      ) as each
      group by package_id, severity having sum(amount) <> 0
    ), touched as (
      select fact.workspace_id, fact.firmware_version_id, fact.package_id
      from (select distinct package_id from changed) as package
      join firmware_version_packages as fact using (package_id)
      where fact.until is null
    ), moved as (
      select touched.workspace_id, touched.firmware_version_id, by_package.severity, by_package.amount
      from touched left join by_package using (package_id)
      union all
      select decision.workspace_id, decision.firmware_version_id, each.severity, each.amount
      from changed
      join finding_decisions as decision using (package_id, vulnerability_id)
      join touched using (workspace_id, firmware_version_id, package_id)
      cross join lateral (values
        (${side('old').severity}, -${corrected('old')}), (${side('new').severity}, ${corrected('new')})
      ) as each (severity, amount)
    ), ${addingMoved(at)}`.execute(tx)
}

/** Counts a version's findings again after its packages changed. The old and new packages are locked. */
export async function recountFirmwareVersion(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionId,
    at,
  }: { workspaceId: string; firmwareVersionId: string; at: Date },
): Promise<void> {
  await sql`
    insert into firmware_version_counters (workspace_id, firmware_version_id, ${columns}, evaluated_at)
    select ${workspaceId}, ${firmwareVersionId}, ${sums(sql`1`)}, ${at}
    from ${activeFindings(workspaceId)} and fact.firmware_version_id = ${firmwareVersionId}
    on conflict (workspace_id, firmware_version_id) do update set
      ${sql.join(COLUMNS.map(({ column }) => sql`${column} = excluded.${column}`))}, evaluated_at = excluded.evaluated_at`.execute(
    tx,
  )
}

/** Each active finding of the workspace, one by one. */
const activeFindings = (workspaceId: string) => sql`
  firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.until is null and ${isActiveSql({
      assessment: sql`coalesce(decision.assessment, 'NotAssessed')`,
      ignored: sql`coalesce(decision.ignored, false)`,
      confidence: sql`match.confidence`,
    })}`

/** The counters of a workspace as they have to be. */
export const COUNTER_ROWS: DerivedRows = {
  table: 'firmware_version_counters',
  keys: ['firmware_version_id'],
  values: SEVERITIES.map((severity) => severity.toLowerCase()),
  states: sql.join(
    COLUMNS.map(({ column }) => sql`${column} <> 0`),
    sql` or `,
  ),
  expected: (workspaceId) => sql`
    select fact.firmware_version_id, ${sums(sql`1`)}
    from ${activeFindings(workspaceId)} group by fact.firmware_version_id`,
}

export interface SeverityCount {
  severity: Severity
  count: number
}

/** All six severities, worst first; zeros where nothing was ever counted. */
export async function readCounters(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<SeverityCount[]> {
  const row = await db
    .selectFrom('firmwareVersionCounters')
    .select(['critical', 'high', 'medium', 'low', 'none', 'unknown'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
  const counts = new Map(Object.entries(row ?? {}))
  return SEVERITIES.map((severity) => ({
    severity,
    count: counts.get(severity.toLowerCase()) ?? 0,
  }))
}
