/** What the management port says about fleets and findings, of the workspaces with the most devices. */
import { MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Extra } from '../../../platform/management.ts'
import * as store from './store.ts'

type MetricsContext = Pick<AppContext, 'db' | 'now' | 'config'>

async function readCounts({ db, now, config }: MetricsContext) {
  const { workspaceIds, otherCount } = await store.chooseWorkspaces(db, config.metricsWorkspaces)
  return {
    devices: await store.countByPresence(db, workspaceIds, now()),
    findings: await store.countBySeverity(db, workspaceIds),
    updates: await store.countByUpdateState(db, workspaceIds),
    otherCount,
  }
}

type Counts = Awaited<ReturnType<typeof readCounts>>

export function reportWorkspaceCounts(ctx: MetricsContext): Extra {
  let counts: { promise: Promise<Counts>; at: number } | undefined
  /** Counted once a minute at most, however often and from where it is asked. */
  const read = () => {
    const at = ctx.now().getTime()
    if (counts && at - counts.at < MINUTE_MS) return counts.promise
    const promise = readCounts(ctx)
    promise.catch(() => (counts = undefined))
    counts = { promise, at }
    return promise
  }
  const gauge = (
    of: 'devices' | 'findings' | 'updates',
    { name, label, help }: { name: string; label: string; help: string },
  ) => ({
    name,
    help,
    labelNames: ['workspace', label],
    values: async () => {
      if (ctx.config.metricsWorkspaces === 0) return []
      const found = (await read())[of]
      return found.map((one) => ({
        labels: { workspace: one.workspaceId, [label]: one.name },
        value: one.count,
      }))
    },
  })
  return {
    detail: 'workspaceMetrics',
    // Without the counts: balancers ask for health every few seconds.
    describe: () => Promise.resolve({ most: ctx.config.metricsWorkspaces }),
    gauges: [
      gauge('devices', {
        name: 'plimsoll_devices',
        label: 'presence',
        help: 'Devices by presence (connected, last_day, last_week, older, never), of the workspaces with the most devices',
      }),
      gauge('findings', {
        name: 'plimsoll_findings',
        label: 'severity',
        help: 'Active findings of all firmware versions, of the workspaces with the most devices',
      }),
      gauge('updates', {
        name: 'plimsoll_device_updates',
        label: 'state',
        help: 'Device updates of active deployments by state (pending, in_progress, succeeded, failed, cancelled), of the workspaces with the most devices',
      }),
      {
        name: 'plimsoll_metrics_workspaces_left_out',
        help: 'Workspaces of which devices, findings and updates are not counted here (PLIMSOLL_METRICS_WORKSPACES)',
        labelNames: [],
        values: async () => {
          if (ctx.config.metricsWorkspaces === 0) return []
          return [{ labels: {}, value: (await read()).otherCount }]
        },
      },
    ],
  }
}
