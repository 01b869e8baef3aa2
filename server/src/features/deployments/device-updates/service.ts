/** Device updates change state by what devices report and which versions they run; lists of them, by deployment and by device. */
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { UpdateReport } from '../../../formats/device-messages/model.ts'
import {
  getDevice,
  signalDesiredChange,
  type DeviceReport,
  type ReportBatch,
} from '../../devices/index.ts'
import { lockDevices } from '../../cohorts/index.ts'
import { describeTarget, findUpdatePage, type UpdateFilter } from '../risk/store.ts'
import { type DeploymentNamed, getDeployment } from '../service.ts'
import { CounterChanges, updateCounters } from './counters-store.ts'
import { applyUpdateEvent, type UpdateEvent, type UpdateStatus } from './state.ts'
import * as store from './store.ts'

/** The caller has locked the devices and stored which versions they run. */
export async function storeUpdateReports(
  ctx: Pick<AppContext, 'now' | 'log'>,
  tx: Tx,
  { workspaceId, reports }: ReportBatch,
): Promise<void> {
  const stateful = reports.filter(({ message: { kind } }) => !STATELESS.has(kind))
  if (stateful.length === 0) return
  await applyReports(ctx, tx, {
    workspaceId,
    reports: new Map(stateful.map((one) => [one.deviceId, one])),
  })
}

/** Frequent reports that do not say what the device runs. */
const STATELESS: ReadonlySet<DeviceReport['message']['kind']> = new Set([
  'metrics',
  'logs',
  'crashes',
  'disconnected',
])

const BATCH_SIZE = 1000

/** Finishes the updates of devices that already run the versions of their deployment. */
export async function finishUpdates(
  ctx: Pick<AppContext, 'db' | 'now' | 'log'>,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  for (const some of splitIntoBatches(deviceIds, BATCH_SIZE)) {
    const affected = await store.listAffectedUpdates(ctx.db, workspaceId, some)
    if (affected.length === 0) continue
    const concerned = [...new Set(affected.map(({ deviceId }) => deviceId))].toSorted()
    await ctx.db.transaction().execute(async (tx) => {
      await lockDevices(tx, workspaceId, concerned)
      await applyReports(ctx, tx, {
        workspaceId,
        reports: new Map(concerned.map((id) => [id, undefined])),
      })
    })
  }
}

interface ReportedDevices {
  workspaceId: string
  /** By device; undefined: the device sent no new report. */
  reports: ReadonlyMap<string, DeviceReport | undefined>
}

async function applyReports(
  ctx: Pick<AppContext, 'now' | 'log'>,
  tx: Tx,
  { workspaceId, reports }: ReportedDevices,
): Promise<void> {
  const reported = [...reports].flatMap(([deviceId, report]) => {
    const update = report?.message.kind === 'update' ? report.message.update : undefined
    return update && isUuid(update.updateId) ? { deviceId, updateId: update.updateId } : []
  })
  const affected = await store.listAffectedUpdates(tx, workspaceId, [...reports.keys()])
  const named = reported.length === 0 ? [] : await store.listUpdatesById(tx, workspaceId, reported)
  const keys = new Map(
    [...affected, ...named].map((key) => [`${key.deploymentId} ${key.deviceId}`, key]),
  )
  if (keys.size === 0) return
  const locked = await store.lockUpdates(tx, workspaceId, [...keys.values()])
  const changes = locked.flatMap((update) => {
    const after = afterReport(update, reports.get(update.deviceId), ctx.now())
    return after === update ? [] : [{ before: update, after }]
  })
  await saveUpdateChanges(tx, workspaceId, changes)
}

/** Applies first what the device reports of its update, then what it runs. */
function afterReport(
  update: store.LockedUpdate,
  report: DeviceReport | undefined,
  now: Date,
): UpdateStatus {
  let status: UpdateStatus = update
  const circumstances = { limits: update, now }
  const message = report?.message
  // Each attempt has its own update id, so a late report of the first attempt does not affect the second.
  if (message?.kind === 'update' && message.update.updateId.toLowerCase() === update.updateId)
    status =
      applyUpdateEvent(status, readEvent(message.update, update.runId), circumstances) ?? status
  if (!update.isCurrent || !update.hasReported) return status
  const { runId, otherVersions } = update
  // hawkBit clients do not name their runs. The hawkBit door reports versions only when they prove something.
  const isAnyRun = message?.kind === 'running' && message.firmware.length > 0
  const observed: UpdateEvent = update.runsTarget
    ? { type: 'runsTarget', unconfirmed: update.runsUnconfirmed }
    : { type: 'runsOther', runId, isAnyRun, running: describeVersions(otherVersions) }
  return applyUpdateEvent(status, observed, circumstances) ?? status
}

function describeVersions(versions: store.LockedUpdate['otherVersions']): string {
  if (versions.length === 0) return 'nothing'
  return versions.map(({ slug, version }) => `${slug} ${version ?? '(not reported)'}`).join(', ')
}

const COMPLETE = 100

function readEvent({ state, progress, reason }: UpdateReport, runId: string | null): UpdateEvent {
  if (state === 'failed') return { type: 'gaveUp', reason: reason ?? 'the device gave no reason' }
  if (state === 'succeeded' || progress === COMPLETE) return { type: 'installed', runId }
  return { type: 'started', progress: progress ?? null }
}

/** Writes the changed updates and the counters of their deployments. The caller has locked the updates. */
export async function saveUpdateChanges(
  tx: Tx,
  workspaceId: string,
  changes: readonly store.UpdateChange[],
): Promise<void> {
  await store.writeUpdates(tx, workspaceId, changes)
  const counts = new CounterChanges()
  for (const { before, after } of changes)
    counts.move(before.deploymentId, { from: before.state, to: after.state })
  await updateCounters(tx, workspaceId, counts)
  const again = changes.filter(({ before, after }) => after.attempt > before.attempt)
  await signalDesiredChange(
    tx,
    workspaceId,
    again.map(({ before }) => before.deviceId),
  )
}

export interface ListDeviceUpdates extends DeploymentNamed, PageRequested {
  filter?: UpdateFilter
}

export async function listDeviceUpdates(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: ListDeviceUpdates,
) {
  const { workspaceId, filter = {} } = input
  const deployment = await getDeployment(ctx.db, input)
  const page = openPage(ctx, ['device-updates', workspaceId, deployment.id, filter], input)
  const after = page.after && String(page.after[0])
  const target = describeTarget(workspaceId, deployment)
  const rows = await findUpdatePage(ctx.db, target, { ...filter, after, limit: page.rowLimit })
  const { page: deviceUpdates, next } = page.cut(rows, ({ deviceId }) => [deviceId])
  return { deviceUpdates, ...next }
}

/** Newest first: an attempt that follows another one counts as new. */
export async function listUpdatesOfDevice(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey' | 'reactions'>,
  input: { workspaceId: string; deviceId: string } & PageRequested,
) {
  const { workspaceId } = input
  const { id: deviceId } = await getDevice(ctx, workspaceId, input.deviceId)
  const page = openPage(ctx, ['updates-of-device', workspaceId, deviceId], input)
  const before = page.after && Number(page.after[0])
  const query = { deviceId, before, limit: page.rowLimit }
  const rows = await store.listUpdatesOfDevice(ctx.db, workspaceId, query)
  const { page: shown, next } = page.cut(rows, ({ number }) => [number])
  return { deviceUpdates: shown.map(withoutNumber), ...next }
}

function withoutNumber(row: store.UpdateOfDevice) {
  const { number: _, ...update } = row
  return update
}
