/**
 * Instants at which the service does something next. Each is set a known time ahead. One that is further ahead was set before
 * the clock was set back: waiting for it would mean that nothing happens until the clock is there again.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/connect.ts'

interface DueInstant {
  table: string
  column: string
  /** How far ahead it is set at most. Nothing: it is in the past, or it is the instant of something that happened. */
  ahead?: RawBuilder<unknown>
  /** Of which rows; else of all. */
  where?: RawBuilder<unknown>
  /** What it becomes; else the present instant. */
  becomes?: (now: RawBuilder<unknown>) => RawBuilder<unknown>
}

const interval = (text: string) => sql`${sql.lit(text)}::interval`
const toNothing = () => sql`null`
/** Clocks of several nodes are set one after another. */
const TOLERANCE = interval('5 seconds')

const REMINDER_AHEAD = sql`(
  select make_interval(secs => rule.repeat_interval_seconds) from alert_rules as rule
  where rule.workspace_id = alert_incidents.workspace_id and rule.id = alert_incidents.rule_id)`

const EVALUATION_AHEAD = sql`make_interval(secs => left(evaluation_frequency, -1)::int * case
  when right(evaluation_frequency, 1) = 'm' then 60 when right(evaluation_frequency, 1) = 'h' then 3600 else 86400 end)`

/** Leases become as long as new ones: who holds one may live. */
const DUE_INSTANTS: readonly DueInstant[] = [
  lease('advisory_mails', 'claimed_until', '10 minutes'),
  // What is sent at once is due when it is published; else it waits for another attempt, or for the next hour of mails.
  {
    table: 'advisory_mails',
    column: 'due_at',
    where: sql`state = 'Waiting' and attempts = 0`,
  },
  {
    table: 'advisory_mails',
    column: 'due_at',
    where: sql`state = 'Waiting' and attempts > 0`,
    ahead: interval('70 minutes'),
  },
  {
    table: 'alert_rules',
    column: 'next_evaluation_at',
    ahead: EVALUATION_AHEAD,
  },
  { table: 'alert_incidents', column: 'reminder_at', ahead: REMINDER_AHEAD },
  lease('backup_state', 'claimed_until', '15 minutes'),
  { table: 'backup_state', column: 'scheduled_at', becomes: toNothing },
  { table: 'deployments', column: 'phase_began_at', where: sql`is_active` },
  {
    table: 'deployments',
    column: 'window_signalled_at',
    where: sql`is_active`,
    becomes: toNothing,
  },
  { table: 'gateways', column: 'beat_at' },
  { table: 'nodes', column: 'beat_at' },
  // The condition is that of an index: most notifications were sent long ago.
  { ...lease('notifications', 'claimed_until', '3 minutes'), where: sql`state = 'Pending'` },
  // Those that wait longer wait for a digest, or for the end of quiet hours.
  {
    table: 'notifications',
    column: 'due_at',
    where: sql`state = 'Pending' and attempts > 0`,
    ahead: interval('70 minutes'),
  },
  // What is sent at once is due when it is created.
  {
    table: 'notifications',
    column: 'due_at',
    where: sql`state = 'Pending' and attempts = 0 and due_at = created_at`,
  },
  { table: 'sign_in_attempts', column: 'blocked_until', ahead: interval('15 minutes') },
  lease('supplier_feeds', 'claimed_until', '3 minutes'),
  { table: 'supplier_feeds', column: 'due_at', ahead: interval('6 hours') },
  { table: 'terminal_logins', column: 'last_polled_at' },
  lease('vulnerability_sources', 'claimed_until', '90 seconds'),
  lease('weekly_mails', 'claimed_until', '10 minutes'),
  // The mail of this week was sent by the clock that was ahead.
  {
    table: 'weekly_mails',
    column: 'due_at',
    ahead: interval('7 days 2 hours'),
    becomes: () => sql`(due_at at time zone 'UTC' - ${interval('7 days')}) at time zone 'UTC'`,
  },
  { table: 'workspace_kept_locks', column: 'devices_counted_at', becomes: toNothing },
  { table: 'workspace_kept_locks', column: 'names_copied_at', becomes: toNothing },
  // The queue's own (pg-boss): jobs that wait, jobs whose process is watched, and its maintenance.
  {
    table: 'pgboss.job',
    column: 'start_after',
    where: sql`state < 'active'`,
    ahead: interval('3 minutes'),
  },
  { table: 'pgboss.job', column: 'heartbeat_on', where: sql`state = 'active'` },
  { table: 'pgboss.queue', column: 'maintain_on', becomes: toNothing },
  { table: 'pgboss.queue', column: 'monitor_on', becomes: toNothing },
  { table: 'pgboss.queue', column: 'monitor_claim_on', becomes: toNothing },
]

function lease(table: string, column: string, lasts: string): DueInstant {
  const ahead = interval(lasts)
  return { table, column, ahead, becomes: (now) => sql`${now} + ${ahead}` }
}

/** The columns, for the test that all instants of the schema are thought of. */
export const DUE_COLUMNS: readonly string[] = DUE_INSTANTS.map(
  ({ table, column }) => `${table}.${column}`,
)

/** Brings instants forward that are further ahead than any was set. Returns how many, by column. */
export async function advanceDueInstants(
  db: Db,
  { now, sourceIntervalsMs }: { now: Date; sourceIntervalsMs: ReadonlyMap<string, number> },
): Promise<Record<string, number>> {
  const moved: Record<string, number> = {}
  for (const instant of [...DUE_INSTANTS, nextSync(sourceIntervalsMs)]) {
    const name = `${instant.table}.${instant.column}`
    const count = await advanceColumn(db, instant, now)
    if (count > 0) moved[name] = (moved[name] ?? 0) + count
  }
  return moved
}

async function advanceColumn(
  db: Db,
  { table, column, ahead = interval('0'), where = sql`true`, becomes }: DueInstant,
  now: Date,
): Promise<number> {
  const [place, name] = [sql.table(table), sql.ref(column)]
  // Their difference: Citus refuses an update that adds an interval of a row to an instant, as the zone of the session decides that.
  const present = sql`${now}::timestamptz`
  const { numAffectedRows } = await sql`
    update ${place} set ${name} = ${becomes?.(present) ?? present}
    where ${where} and ${name} - ${present} > ${ahead} + ${TOLERANCE}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** A source is read again after an interval that the operator sets. */
function nextSync(intervalsMs: ReadonlyMap<string, number>): DueInstant {
  const [sources, lengths] = [[...intervalsMs.keys()], [...intervalsMs.values()]]
  return {
    table: 'vulnerability_sources',
    column: 'next_sync_at',
    ahead: sql`(
      select length.ms * ${interval('1 millisecond')}
      from unnest(${sources}::text[], ${lengths}::float8[]) as length (source, ms)
      where length.source = vulnerability_sources.source)`,
  }
}
