/**
 * What `admin doctor` examines of the counts of past days. They are history: what was counted on a past day cannot be counted
 * again, only whether it is possible.
 */
import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  type CheckFaults,
  summariseFaults,
  readSnapshot,
  type WorkspaceCheck,
} from '../../platform/doctor/check.ts'
import { writeDailyDevices } from './exposure/store.ts'
import { writeDailyCounters } from './trend/store.ts'

interface Days {
  table: 'firmware_set_daily_devices' | 'firmware_version_daily_counters'
  /** Whether the row `row` cannot have been counted. */
  isImpossible: RawBuilder<unknown>
  /** Whether there is something to count now, so that there have to be rows. */
  isCounted: (workspaceId: string) => RawBuilder<unknown>
}

/** A version without active findings has none that are exploited. */
const DEVICES: Days = {
  table: 'firmware_set_daily_devices',
  isImpossible: sql`devices <= 0 or (exploited and worst in ('Clean', 'NotJudged'))`,
  // What began to run a moment ago waits for the next hour.
  isCounted: (workspaceId) => sql`
    select from device_firmwares
    where workspace_id = ${workspaceId} and firmware_version_id is not null and since < now() - interval '2 hours'`,
}

const COUNTERS: Days = {
  table: 'firmware_version_daily_counters',
  isImpossible: sql`least(critical, high, medium, low, none, unknown, exploited) < 0
    or exploited > critical + high + medium + low + none + unknown`,
  isCounted: (workspaceId) => sql`
    select from firmware_version_counters
    where workspace_id = ${workspaceId} and evaluated_at < now() - interval '2 days'`,
}

const TODAY = sql`(now() at time zone 'UTC')::date`

/** A day counts until its last hour, and a worker writes the day every hour. */
async function findImpossibleDays(db: Db, days: Days, workspaceId: string): Promise<CheckFaults> {
  const { rows } = await sql<{ day: string; rows: number }>`
    select day::text, count(*)::int as rows from ${sql.table(days.table)}
    where workspace_id = ${workspaceId} and (day > ${TODAY} + 1 or ${days.isImpossible})
    group by day order by day`.execute(db)
  const { rows: missing } = await sql<{ isMissing: boolean }>`
    select exists (${days.isCounted(workspaceId)}) and not exists (
      select from ${sql.table(days.table)}
      where workspace_id = ${workspaceId} and day >= ${TODAY} - 1) as is_missing`.execute(db)
  return summariseFaults([
    ...rows.map((one) => `${days.table}: ${one.rows} rows of ${one.day} cannot be right`),
    ...(missing[0]?.isMissing === true
      ? [`${days.table} has no rows of yesterday and today; does a worker run?`]
      : []),
  ])
}

const createCheck = (
  days: Days,
  described: Pick<WorkspaceCheck, 'name' | 'meaning'>,
  write: (db: AppContext, workspaceId: string) => Promise<void>,
): WorkspaceCheck => ({
  scope: 'Workspace',
  ...described,
  find: (ctx, workspaceId) => readSnapshot(ctx, (db) => findImpossibleDays(db, days, workspaceId)),
  // What was wrong yesterday stays: nobody knows what was right.
  repair: write,
})

export const reportChecks: readonly WorkspaceCheck[] = [
  createCheck(
    COUNTERS,
    { name: 'daily-counters', meaning: 'findings of each day are counted, and can be right' },
    ({ db, now }, workspaceId) => writeDailyCounters(db, { workspaceId, at: now() }),
  ),
  createCheck(
    DEVICES,
    { name: 'daily-devices', meaning: 'devices of each day are counted, and can be right' },
    ({ db, now }, workspaceId) => writeDailyDevices(db, { workspaceId, at: now() }),
  ),
]
