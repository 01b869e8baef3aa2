/** What the management port says of metrics and logs: points that are dropped, and tables nobody looks after. */
import { getPartitionHealth, getRollupAge, listDroppedPoints } from './features/telemetry/index.ts'
import type { AppContext } from './platform/context.ts'
import type { Extra } from './platform/management.ts'

type Table = Awaited<ReturnType<typeof getPartitionHealth>>[number]

export function telemetryHealth(ctx: Pick<AppContext, 'db' | 'now'>): Extra {
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
        help: 'Points dropped as their series would have been too many, of the devices there are',
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
