/** What devices report, and what they run, moves their updates. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { UpdateReport } from '../../../formats/device-messages/model.ts'
import {
  announceDesired,
  type DeviceReport,
  type HookContext,
  type ReportListener,
} from '../../devices/index.ts'
import { lockDevices } from '../cohort-members-store.ts'
import { CountMoves, writeCounts } from './counters-store.ts'
import { afterEvent, type UpdateEvent, type UpdateStanding } from './state.ts'
import * as store from './store.ts'

/** The caller holds the devices' rows, and has stored what they run. */
export const updatesListener: ReportListener = async (ctx, tx, { workspaceId, reports }) => {
  const stateful = reports.filter(({ message: { kind } }) => !SILENT.has(kind))
  if (stateful.length === 0) return
  await settle(ctx, tx, {
    workspaceId,
    reports: new Map(stateful.map((one) => [one.deviceId, one])),
  })
}

/** These say nothing of what the device runs, and are many. */
const SILENT: ReadonlySet<DeviceReport['message']['kind']> = new Set([
  'metrics',
  'logs',
  'disconnected',
])

const SETTLED_AT_ONCE = 1000

/** Devices that already run what is asked of them need no update. */
export async function settleDevices(
  ctx: Pick<AppContext, 'db' | 'now' | 'log'>,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < deviceIds.length; start += SETTLED_AT_ONCE) {
    const some = deviceIds.slice(start, start + SETTLED_AT_ONCE)
    const unsettled = await store.listUnsettledUpdates(ctx.db, workspaceId, some)
    if (unsettled.length === 0) continue
    const concerned = [...new Set(unsettled.map(({ deviceId }) => deviceId))].toSorted()
    await ctx.db.transaction().execute(async (tx) => {
      await lockDevices(tx, workspaceId, concerned)
      await settle(ctx, tx, {
        workspaceId,
        reports: new Map(concerned.map((id) => [id, undefined])),
      })
    })
  }
}

interface Settling {
  workspaceId: string
  /** By device; undefined where nothing new was said. */
  reports: ReadonlyMap<string, DeviceReport | undefined>
}

async function settle(
  ctx: Pick<HookContext, 'now' | 'log'>,
  tx: Tx,
  { workspaceId, reports }: Settling,
): Promise<void> {
  const said = [...reports].flatMap(([deviceId, report]) => {
    const update = report?.message.kind === 'update' ? report.message.update : undefined
    return update && isUuid(update.updateId) ? { deviceId, updateId: update.updateId } : []
  })
  const unsettled = await store.listUnsettledUpdates(tx, workspaceId, [...reports.keys()])
  const named = said.length === 0 ? [] : await store.listUpdatesById(tx, workspaceId, said)
  const keys = new Map(
    [...unsettled, ...named].map((key) => [`${key.deploymentId} ${key.deviceId}`, key]),
  )
  if (keys.size === 0) return
  const locked = await store.lockUpdates(tx, workspaceId, [...keys.values()])
  const moves = locked.flatMap((update) => {
    const after = settled(update, reports.get(update.deviceId), ctx.now())
    return after === update ? [] : [{ before: update, after }]
  })
  await applyMoves(tx, workspaceId, moves)
}

/** First what the device says of its update, then what it runs. */
function settled(
  update: store.LockedUpdate,
  report: DeviceReport | undefined,
  now: Date,
): UpdateStanding {
  let standing: UpdateStanding = update
  const circumstances = { terms: update, now }
  const message = report?.message
  // The first attempt's failure is not the second's: ids are of attempts.
  if (message?.kind === 'update' && message.update.updateId.toLowerCase() === update.updateId)
    standing =
      afterEvent(standing, eventOf(message.update, update.runId), circumstances) ?? standing
  if (!update.isCurrent || !update.hasReported) return standing
  const { runId, running } = update
  // hawkBit clients name no runs: their door says what runs only when it tells something.
  const isAnyRun = message?.kind === 'running' && message.firmware.length > 0
  const observed: UpdateEvent = update.runsTarget
    ? { type: 'runsTarget', unconfirmed: update.runsUnconfirmed }
    : { type: 'runsOther', runId, isAnyRun, running }
  return afterEvent(standing, observed, circumstances) ?? standing
}

const COMPLETE = 100

function eventOf({ state, progress, reason }: UpdateReport, runId: string | null): UpdateEvent {
  if (state === 'failed') return { type: 'gaveUp', reason: reason ?? 'the device gave no reason' }
  if (state === 'succeeded' || progress === COMPLETE) return { type: 'installed', runId }
  return { type: 'started', progress: progress ?? null }
}

/** Writes them with the counters of their deployments; the caller has locked them. */
export async function applyMoves(
  tx: Tx,
  workspaceId: string,
  moves: readonly store.UpdateMove[],
): Promise<void> {
  await store.writeUpdates(tx, workspaceId, moves)
  const counts = new CountMoves()
  for (const { before, after } of moves)
    counts.move(before.deploymentId, { from: before.state, to: after.state })
  await writeCounts(tx, workspaceId, counts)
  const again = moves.filter(({ before, after }) => after.attempt > before.attempt)
  await announceDesired(
    tx,
    workspaceId,
    again.map(({ before }) => before.deviceId),
  )
}
