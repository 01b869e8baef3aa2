/**
 * Counters of active findings, by firmware version: by severity, and what its mark is drawn from. Each change of findings moves them in the same
 * transaction, under these locks: firmware versions first, then packages, each in the order of their ids
 * (docs/design/findings.md).
 */
import { type RawBuilder, sql } from 'kysely'
import { isActiveSql, isUndecidedSql } from '../../formats/assessments.ts'
import { SEVERITIES, type Severity } from '../../formats/advisories/model.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DerivedRows } from '../../platform/doctor/check.ts'
import type { ChangedMatch, JudgedPackage, MatchChanges } from '../matching/index.ts'
import { selectNotMatchedReason } from '../components/index.ts'

/** Matches that changed, of packages that the workspace has held at some time. */
export interface ChangedMatches {
  workspaceId: string
  changes: readonly ChangedMatch[]
}

/** All that changed of these packages. */
export type ChangedPackages = ChangedMatches & MatchChanges

/**
 * The changes by workspace, in order of id: those of packages that it holds, or of which somebody has decided there. The
 * packages are locked exclusively, so that no other workspace begins to hold them.
 */
export async function listChangedWorkspaces(
  tx: Tx,
  { changes, judged }: MatchChanges,
): Promise<ChangedPackages[]> {
  const changed = [...changes, ...judged].map(({ packageId }) => packageId)
  const isMeant = sql`package_id = any(${[...new Set(changed)]}::uuid[])`
  const { rows } = await sql<{ workspaceId: string; packageIds: string[] }>`
    select workspace_id, array_agg(package_id) as package_ids
    from (
      select workspace_id, package_id from workspace_packages where ${isMeant} and version_count > 0
      union
      select workspace_id, package_id from finding_decisions where ${isMeant}
    ) as each
    group by workspace_id order by workspace_id`.execute(tx)
  return rows.map(({ workspaceId, packageIds }) => {
    const own = new Set(packageIds)
    return {
      workspaceId,
      changes: changes.filter(({ packageId }) => own.has(packageId)),
      judged: judged.filter(({ packageId }) => own.has(packageId)),
    }
  })
}

/** Whether a finding without a decision is active. */
const countsAlone = (confidence: RawBuilder<unknown>) => sql`(${confidence} <> 'Low')`

const COLUMNS = [
  ...SEVERITIES.map((severity) => ({
    counter: severity as string,
    column: sql.ref(severity.toLowerCase()),
  })),
  { counter: 'Exploited', column: sql.ref('exploited') },
  { counter: 'UndecidedCritical', column: sql.ref('undecidedCritical') },
  { counter: 'UndecidedHigh', column: sql.ref('undecidedHigh') },
]
const columns = sql.join(COLUMNS.map(({ column }) => column))
const sums = sql.join(
  COLUMNS.map(
    ({ counter, column }) =>
      sql`coalesce(sum(amount) filter (where counter = ${counter}), 0)::int as ${column}`,
  ),
)

type CountedColumns = Record<
  'severity' | 'isExploited' | 'active' | 'undecided',
  RawBuilder<unknown>
>

/** Rows `(counter, amount)` of a finding. `active` and `undecided` are the amounts if it has this severity. */
export const countedAs = ({ severity, isExploited, active, undecided }: CountedColumns) => sql`
  (${severity}, ${active}), ('Exploited', ${isExploited}::int * ${active}),
  (case when ${severity} in ('Critical', 'High') then 'Undecided' || ${severity} end, ${undecided})`

/**
 * Adds the amounts in `moved (firmware_version_id, counter, amount)` to the counters of the workspace. Whoever does so has
 * locked what the workspace keeps, so nobody else writes these rows meanwhile.
 */
export const addingMoved = (workspaceId: string, at: Date) => sql`
  totals as (
    select firmware_version_id, ${sums} from moved group by firmware_version_id
  )
  update firmware_version_counters as counters set evaluated_at = greatest(evaluated_at, ${at}), revision = counters.revision + 1,
    ${sql.join(COLUMNS.map(({ column }) => sql`${column} = counters.${column} + totals.${column}`))}
  from totals
  where counters.workspace_id = ${workspaceId}
    and counters.firmware_version_id = totals.firmware_version_id`

const side = (name: 'old' | 'new') => ({
  confidence: sql.ref(`changed.${name}Confidence`),
  severity: sql.ref(`changed.${name}Severity`),
  isExploited: sql`coalesce(${sql.ref(`changed.${name}Exploited`)}, false)`,
})

/** What findings without a decision count as, on one side of a change. */
const alone = (name: 'old' | 'new', amount: RawBuilder<unknown>) =>
  countedAs({ ...side(name), active: amount, undecided: amount })

/** How much less or more a finding with a decision counts. */
function corrected(name: 'old' | 'new', factor: RawBuilder<unknown>): RawBuilder<unknown> {
  const { confidence, ...rated } = side(name)
  const active = sql.raw(
    isActiveSql({
      assessment: 'decision.assessment',
      ignored: 'decision.ignored',
      confidence: `changed.${name}_confidence`,
    }),
  )
  const less = (counts: RawBuilder<unknown>) => sql`(case when ${confidence} is null then 0
    else ${factor} * (${counts}::int - ${countsAlone(confidence)}::int) end)`
  const undecided = sql`(${active} and ${sql.raw(isUndecidedSql('decision.assessment'))})`
  return countedAs({ ...rated, active: less(active), undecided: less(undecided) })
}

/**
 * Moves the counters of a workspace for changed matches; the packages are locked exclusively. Most findings have no decision and count
 * alike in all versions, so their amounts are computed once a package. Findings with a decision are corrected one by one.
 */
export async function updateCountersOfMatches(
  tx: Tx,
  { workspaceId, changes, at }: ChangedMatches & { at: Date },
): Promise<void> {
  await sql`
    with changed as materialized (
      select "packageId" as package_id, "vulnerabilityId" as vulnerability_id,
        "oldConfidence" as old_confidence, "oldSeverity" as old_severity, "oldExploited" as old_exploited,
        "newConfidence" as new_confidence, "newSeverity" as new_severity, "newExploited" as new_exploited
      from json_to_recordset(${JSON.stringify(changes)}::json) as input ("packageId" uuid, "vulnerabilityId" text,
        "oldConfidence" text, "oldSeverity" text, "oldExploited" boolean,
        "newConfidence" text, "newSeverity" text, "newExploited" boolean)
    ), by_package as (
      select package_id, counter, sum(amount)::int as amount
      from (
        select changed.package_id, each.* from changed
        cross join lateral (values ${alone('old', sql`-1`)}) as each (counter, amount)
        where ${countsAlone(sql`old_confidence`)}
        union all
        select changed.package_id, each.* from changed
        cross join lateral (values ${alone('new', sql`1`)}) as each (counter, amount)
        where ${countsAlone(sql`new_confidence`)}
      ) as each
      where counter is not null
      group by package_id, counter having sum(amount) <> 0
    ), touched as (
      select fact.firmware_version_id, fact.package_id
      from (select distinct package_id from changed) as package
      join firmware_version_packages as fact using (package_id)
      where fact.workspace_id = ${workspaceId} and fact.until is null
    ), moved as (
      select touched.firmware_version_id, by_package.counter, by_package.amount
      from touched left join by_package using (package_id)
      union all
      select decision.firmware_version_id, each.counter, each.amount
      from changed
      join finding_decisions as decision
        on decision.workspace_id = ${workspaceId} and decision.package_id = changed.package_id
        and decision.vulnerability_id = changed.vulnerability_id
      join touched on touched.firmware_version_id = decision.firmware_version_id
        and touched.package_id = decision.package_id
      cross join lateral (values
        ${corrected('old', sql`-1`)}, ${corrected('new', sql`1`)}
      ) as each (counter, amount)
    ), ${addingMoved(workspaceId, at)}`.execute(tx)
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
  const components = sql`${componentsIn(workspaceId)} and sbom.firmware_version_id = ${firmwareVersionId}`
  await sql`
    insert into firmware_version_counters (workspace_id, firmware_version_id, ${columns}, evaluated_at,
      judged_components, silent_components)
    select ${workspaceId}, ${firmwareVersionId}, ${sums}, ${at},
      (select count(*) ${components} and ${IS_JUDGED}),
      (select count(*) ${components} and ${IS_SILENT})
    from ${activeFindings(workspaceId)} and fact.firmware_version_id = ${firmwareVersionId}
    on conflict (workspace_id, firmware_version_id) do update set
      ${sql.join(COLUMNS.map(({ column }) => sql`${column} = excluded.${column}`))}, evaluated_at = excluded.evaluated_at,
      revision = firmware_version_counters.revision + 1, judged_components = excluded.judged_components, silent_components = excluded.silent_components`.execute(
    tx,
  )
}

/** Each active finding of the workspace, one by one, with what it counts as: `(counter, amount)`. */
const activeFindings = (workspaceId: string) => sql`
  firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    cross join lateral (values ${countedAs({
      severity: sql`match.severity`,
      isExploited: sql`match.is_exploited`,
      active: sql`1`,
      undecided: sql.raw(`${isUndecidedSql("coalesce(decision.assessment, 'NotAssessed')")}::int`),
    })}) as each (counter, amount)
    where fact.workspace_id = ${workspaceId} and fact.until is null and ${sql.raw(isActiveSql())}`

/** The counters of a workspace as they have to be. */
export const COUNTER_ROWS: DerivedRows = {
  table: 'firmware_version_counters',
  keys: ['firmware_version_id'],
  values: [
    ...SEVERITIES.map((severity) => severity.toLowerCase()),
    'exploited',
    'undecided_critical',
    'undecided_high',
  ],
  states: sql.join(
    COLUMNS.map(({ column }) => sql`${column} <> 0`),
    sql` or `,
  ),
  expected: (workspaceId) => sql`
    select fact.firmware_version_id, ${sums}
    from ${activeFindings(workspaceId)} group by fact.firmware_version_id`,
}

/** Components that are not in the firmware, that consist of others, or that an override ignores; as in `coverage`. */
const NOT_JUDGED_FOR_GOOD_REASON = '^(scope |ignored|built from other components$)'

/** The reason of a component in the table `component` beside its `package`. */
const REASON = selectNotMatchedReason('component')
const IS_JUDGED = sql`${REASON} is null`
const IS_SILENT = sql`${REASON} !~ ${NOT_JUDGED_FOR_GOOD_REASON}`

/** The counters of components of a workspace as they have to be. */
export const COMPONENT_ROWS: DerivedRows = {
  table: 'firmware_version_counters',
  keys: ['firmware_version_id'],
  values: ['judged_components', 'silent_components'],
  states: sql`judged_components <> 0 or silent_components <> 0`,
  expected: (workspaceId) => sql`
    select * from (
      select sbom.firmware_version_id, (count(*) filter (where ${IS_JUDGED}))::int as judged_components,
        (count(*) filter (where ${IS_SILENT}))::int as silent_components
      ${componentsIn(workspaceId)} group by sbom.firmware_version_id
    ) as counted where judged_components <> 0 or silent_components <> 0`,
}

function componentsIn(workspaceId: string): RawBuilder<unknown> {
  return sql`from sboms as sbom
        join sbom_components as component
          on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
        left join packages as package on package.id = component.package_id
        where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded'`
}

/** Moves the counters of components for packages that became judged or no longer are; they are locked exclusively. */
export async function updateCountersOfComponents(
  tx: Tx,
  { workspaceId, judged }: { workspaceId: string; judged: readonly JudgedPackage[] },
): Promise<void> {
  await sql`
    with moved as (
      select sbom.firmware_version_id, sum(changed.amount)::int as amount
      from unnest(${judged.map(({ packageId }) => packageId)}::uuid[],
        ${judged.map(({ isJudged }) => (isJudged ? 1 : -1))}::int[]) as changed (package_id, amount)
      join sbom_components as component
        on component.workspace_id = ${workspaceId} and component.package_id = changed.package_id
      join sboms as sbom
        on sbom.workspace_id = ${workspaceId} and sbom.id = component.sbom_id and sbom.parsing_state = 'Succeeded'
      where component.not_matched_reason is null
      group by sbom.firmware_version_id
    )
    update firmware_version_counters as counters
    set judged_components = judged_components + moved.amount, silent_components = silent_components - moved.amount
    from moved
    where counters.workspace_id = ${workspaceId} and counters.firmware_version_id = moved.firmware_version_id`.execute(
    tx,
  )
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
