/** What the management port says about metrics and logs: dropped points, missing partitions, the age of rollups. */
import { formatCountOf } from '../../formats/counts.ts'
import type { AppContext } from '../../platform/context.ts'
import { type Check, summariseFaults } from '../../platform/doctor/check.ts'
import type { Extra } from '../../platform/management.ts'
import { countDays } from '../../formats/instants.ts'
import { countDefaultRows, findRolledUntil, listDroppedPoints } from './store.ts'
import { listPartitionDays, PARTITIONED } from './retention/partitions-store.ts'
import { createPartitions } from './retention/service.ts'
import { logChecks } from './logs/checks-service.ts'
import { rollupChecks } from './rollup/checks-service.ts'

type HealthContext = Pick<AppContext, 'db' | 'now'>
type Table = Awaited<ReturnType<typeof getPartitionHealth>>[number]

export function reportTelemetryHealth(ctx: HealthContext): Extra {
  const gauge = (name: string, help: string, valueOf: (table: Table) => number) => ({
    name: `plimsoll_telemetry_${name}`,
    help,
    labelNames: ['table'],
    values: async () =>
      (await getPartitionHealth(ctx)).map((one) => ({
        labels: { table: one.table },
        value: valueOf(one),
      })),
  })
  return {
    detail: 'telemetry',
    describe: async () =>
      Object.fromEntries(
        (await getPartitionHealth(ctx)).map(({ table, daysAhead, restRows }) => [
          table,
          { daysAhead, restRows },
        ]),
      ),
    gauges: [
      gauge('partitions', 'Days that have a partition', ({ partitions }) => partitions),
      gauge(
        'days_ahead',
        'Days after today that have a partition; workers make a week of them',
        ({ daysAhead }) => daysAhead,
      ),
      gauge(
        'default_rows',
        'Rows of days without a partition, counted up to 10,000; workers move them within the hour',
        ({ restRows }) => restRows,
      ),
      {
        name: 'plimsoll_metric_dropped_points',
        help: 'Points dropped because a limit of series was reached, of existing devices',
        labelNames: ['workspace'],
        values: async () =>
          (await listDroppedPoints(ctx.db)).map(({ workspaceId, points }) => ({
            labels: { workspace: workspaceId },
            value: points,
          })),
      },
      {
        name: 'plimsoll_metric_rollup_age_seconds',
        help: 'Since the last hour of metrics that is rolled up in all workspaces',
        labelNames: [],
        values: async () => [{ labels: {}, value: (await getRollupAge(ctx)) ?? 0 }],
      },
    ],
  }
}

/** Counting stops here: it would take longer, and the conclusion is the same. */
const MOST_COUNTED = 10_000

/** Tells for each table the days with a partition, the days after today without a gap, and the rows that no partition takes. */
async function getPartitionHealth({ db, now }: HealthContext) {
  const today = countDays(now())
  return Promise.all(
    PARTITIONED.map(async (table) => {
      const days = new Set(await listPartitionDays(db, table))
      let daysAhead = 0
      while (days.has(today + daysAhead + 1)) daysAhead += 1
      const restRows = await countDefaultRows(db, table, MOST_COUNTED)
      return { table, partitions: days.size, daysAhead, restRows }
    }),
  )
}

/** Seconds since the last hour that is rolled up in all workspaces. */
async function getRollupAge({ db, now }: HealthContext): Promise<number | undefined> {
  const until = await findRolledUntil(db)
  return until && Math.max(0, (now().getTime() - until.getTime()) / 1_000)
}

/** Workers make a week of them every hour. */
const LEAST_DAYS_AHEAD = 6
const LATE_ROLLUP_SECONDS = 4 * 3_600

export const telemetryChecks: readonly Check[] = [
  ...rollupChecks,
  ...logChecks,
  {
    scope: 'Installation',
    name: 'telemetry-partitions',
    meaning: 'the coming days of metrics and logs have their partitions',
    find: async (ctx) =>
      summariseFaults(
        (await getPartitionHealth(ctx)).flatMap(({ table, daysAhead, restRows }) => [
          ...(daysAhead < LEAST_DAYS_AHEAD
            ? [`${table} has partitions for ${daysAhead} of the coming ${LEAST_DAYS_AHEAD} days`]
            : []),
          ...(restRows > 0
            ? [`${table} has ${formatCountOf(restRows, 'row')} of days without a partition`]
            : []),
        ]),
      ),
    repair: createPartitions,
  },
  {
    scope: 'Installation',
    name: 'metric-rollup',
    meaning: 'hours of metrics are rolled up within four hours',
    remedy: '`plimsoll-admin status` says whether a worker runs; its log says what fails.',
    find: async (ctx) => {
      const age = (await getRollupAge(ctx)) ?? 0
      const hours = (age / 3_600).toFixed(1)
      return summariseFaults(
        age > LATE_ROLLUP_SECONDS ? [`the last hour that is rolled up is ${hours} h old`] : [],
      )
    },
  },
]
