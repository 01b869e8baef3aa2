/** What the management port says about fleets and findings, of the workspaces with the most devices. */
import { MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Extra } from '../../../platform/management.ts'
import * as store from './store.ts'

type MetricsContext = Pick<AppContext, 'db' | 'now' | 'config'>

interface Counts {
  devices: OneCount[]
  findings: OneCount[]
  updates: OneCount[]
  otherCount: number
}

type OneCount = store.WorkspaceCount & { workspaceId: string }

/** Statements of one workspace each: Citus refuses those of several that count by lateral joins. */
async function readCounts({ db, now, config }: MetricsContext): Promise<Counts> {
  const { workspaceIds, otherCount } = await store.chooseWorkspaces(db, config.metricsWorkspaces)
  const counts: Counts = { devices: [], findings: [], updates: [], otherCount }
  for (const workspaceId of workspaceIds) {
    const own = (rows: store.WorkspaceCount[]) => rows.map((row) => ({ workspaceId, ...row }))
    const devices = await db.transaction().execute(async (tx) => {
      await store.useOneProcessor(tx)
      return store.countByPresence(tx, workspaceId, now())
    })
    counts.devices = [...counts.devices, ...own(devices)]
    counts.findings = [...counts.findings, ...own(await store.countBySeverity(db, workspaceId))]
    counts.updates = [...counts.updates, ...own(await store.countByUpdateState(db, workspaceId))]
  }
  return counts
}

/** Counting takes at most this part of a processor: 200 ms a minute. A million devices take some 0.6 s. */
const REST = 300

export function reportWorkspaceCounts(ctx: MetricsContext): Extra {
  let counts: { promise: Promise<Counts>; at: number; restMs: number } | undefined
  /** Counted once a minute at most, and more rarely where it takes long, however often and from where it is asked. */
  const read = () => {
    const at = ctx.now().getTime()
    if (counts && Math.abs(at - counts.at) < counts.restMs) return counts.promise
    const begun = { promise: readCounts(ctx), at, restMs: MINUTE_MS }
    counts = begun
    begun.promise.then(
      () => (begun.restMs = Math.max(MINUTE_MS, REST * (ctx.now().getTime() - at))),
      () => (counts = undefined),
    )
    return begun.promise
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
