/** Stores reports of devices: presence, running firmware and counts; then higher slices store their part of them. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { isTelemetry, type SessionMessage } from '../../../formats/device-messages/model.ts'
import { shareVersionNames } from '../../firmware/index.ts'
import { storeReportedConfigurations } from '../configuration/service.ts'
import { CountMoves, moveCountsAround, moveDeviceCounts } from '../counts/store.ts'
import { insertPresenceChanges, type PresenceChange } from '../presence/store.ts'
import * as store from './store.ts'
import type { DeviceReport } from '../reactions.ts'
import {
  forgetImageHashes,
  updateAlternations,
  isReplay,
  isSameFirmware,
  updateRunning,
  stateAfter,
  VersionNames,
  withImageHashes,
} from './running.ts'
import type { ReportBatch } from '../reactions.ts'

/** Stores one batch in one transaction. Reports of devices that do not exist are skipped. */
export async function storeReports(
  ctx: AppContext,
  batch: ReportBatch & { touched: ReadonlySet<string> },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { workspaceId } = batch
    await store.limitWaiting(tx)
    const { moves, reports } = await storeStates(tx, batch)
    await storeReportedConfigurations(tx, { workspaceId, reports })
    await ctx.reactions.reported(ctx, tx, { workspaceId, reports })
    await moveDeviceCounts(tx, workspaceId, moves)
  })
}

/** Whether the report changes or checks the row of its device. Metrics, logs and crashes only touch it now and then. */
export function isStateful({ message }: DeviceReport): boolean {
  return !isTelemetry(message)
}

async function storeStates(
  tx: Tx,
  { workspaceId, reports, touched }: ReportBatch & { touched: ReadonlySet<string> },
): Promise<{ moves: CountMoves; reports: readonly DeviceReport[] }> {
  const moves = new CountMoves()
  const concerns = (report: DeviceReport) => isStateful(report) || touched.has(report.deviceId)
  const concerned = new Set(reports.filter(concerns).map(({ deviceId }) => deviceId))
  if (concerned.size === 0) return { moves, reports }
  const stated = statedFirmware(reports)
  if (stated.length > 0) await shareVersionNames(tx, workspaceId)
  const states = await store.lockDevices(tx, workspaceId, [...concerned].toSorted())
  const known = new Map(states.map((state) => [state.id, state]))
  const heard = reports.flatMap((report) => {
    const state = known.get(report.deviceId)
    // A device whose row was not looked at may be gone as well: higher slices find out.
    if (!state) return concerned.has(report.deviceId) ? [] : [report]
    return isReplay(state, report)
      ? [{ ...report, message: { kind: 'contact' as const } }]
      : [report]
  })
  const latest = pickLatest(heard)
  const changes = states.flatMap((state) => {
    const report = latest.get(state.id)
    return report ? [{ state, report, after: stateAfter(state, report) }] : []
  })
  const names = await versionNames(tx, workspaceId, stated)
  await storeChanges(tx, { workspaceId, changes, moves, names })
  return { moves, reports: heard }
}

/** The stateful report of each device, of which there is at most one, or else its last report. */
function pickLatest(reports: readonly DeviceReport[]): Map<string, DeviceReport> {
  const latest = new Map<string, DeviceReport>()
  for (const report of reports) {
    const before = latest.get(report.deviceId)
    if (!before || !isStateful(before)) latest.set(report.deviceId, report)
  }
  return latest
}

interface DeviceChange {
  state: store.DeviceState
  after: store.DeviceState
  report: DeviceReport
}

interface Changes {
  workspaceId: string
  changes: readonly DeviceChange[]
  moves: CountMoves
  names: VersionNames
}

async function storeChanges(
  tx: Tx,
  { workspaceId, changes, moves, names }: Changes,
): Promise<void> {
  const ids = changes.map(({ state }) => state.id)
  const running = await store.listRunningFirmwares(tx, workspaceId, ids)
  const states: store.DeviceState[] = []
  const gone: { deviceId: string; slug: string }[] = []
  const changed: store.FirmwareChange[] = []
  for (const { state, after: heard, report } of changes) {
    const deviceId = state.id
    const before = running.get(deviceId) ?? []
    const named = updateRunning(before, report, names)
    const attributes = forgetImageHashes(heard.attributes, [before, named], report)
    const after = { ...heard, attributes }
    // Most reports state neither: metrics, logs, a connection.
    const isUnchanged = named === before && attributes === state.attributes
    const next = isUnchanged ? before : withImageHashes(named, attributes)
    const known = new Map(before.map((firmware) => [firmware.slug, firmware]))
    for (const firmware of next) {
      const same = known.get(firmware.slug)
      if (!same || !isSameFirmware(same, firmware))
        changed.push({ ...firmware, deviceId, since: report.receivedAt })
    }
    const slugs = new Set(next.map(({ slug }) => slug))
    for (const { slug } of before) if (!slugs.has(slug)) gone.push({ deviceId, slug })
    const reported = [
      { ...state, running: before },
      { ...after, running: next },
    ] as const
    const alternations = updateAlternations(state.alternations, reported, report.receivedAt)
    states.push({ ...after, alternations })
    moves.remove({ ...state, firmwareVersionIds: listIds(before) })
    moves.add({ ...after, firmwareVersionIds: listIds(next) })
    moves.changeImages(before, next)
  }
  await store.updateDeviceStates(tx, workspaceId, states)
  await insertPresenceChanges(tx, workspaceId, changes.flatMap(listPresenceChanges))
  await store.replaceRunningFirmwares(tx, workspaceId, { gone, changed })
}

function listPresenceChanges({ state, after, report }: DeviceChange): PresenceChange[] {
  const deviceId = state.id
  const at = report.receivedAt
  const hasStarted = after.runIds[0] !== state.runIds[0]
  const changed = after.connected ? ('Connected' as const) : ('Disconnected' as const)
  return [
    ...(hasStarted ? [{ deviceId, at, kind: 'Started' as const }] : []),
    ...(after.connected === state.connected ? [] : [{ deviceId, at, kind: changed }]),
  ]
}

function listIds(running: readonly store.RunningFirmware[]): string[] {
  return running.flatMap(({ firmwareVersionId }) => firmwareVersionId ?? [])
}

type StatedFirmware = Pick<SessionMessage, 'firmware' | 'buildId'>

/** The firmware and build ids that the reports state. */
function statedFirmware(reports: readonly DeviceReport[]): StatedFirmware[] {
  return reports.flatMap(({ message }): StatedFirmware[] => {
    if (message.kind === 'session') return [message.session]
    return message.kind === 'running' ? [{ firmware: message.firmware }] : []
  })
}

async function versionNames(
  tx: Tx,
  workspaceId: string,
  stated: readonly StatedFirmware[],
): Promise<VersionNames> {
  const named = stated.flatMap(({ firmware }) => firmware ?? [])
  const buildIds = stated.flatMap(({ firmware, buildId }) => (firmware ? [] : (buildId ?? [])))
  const byName = named.length === 0 ? [] : await store.findVersionsByName(tx, workspaceId, named)
  const byBuildId =
    buildIds.length === 0 ? [] : await store.findVersionsByBuildId(tx, workspaceId, buildIds)
  return new VersionNames([...byName, ...byBuildId])
}

type ReportingDevice = Pick<store.DeviceState, 'id' | 'attributes'>

/** After attributes were changed by hand. The rows of the devices have to be locked. */
export async function changeImageHashes(
  tx: Tx,
  workspaceId: string,
  devices: readonly ReportingDevice[],
): Promise<void> {
  const deviceIds = devices.map(({ id }) => id)
  await moveCountsAround(tx, { workspaceId, deviceIds }, () =>
    refreshImageHashes(tx, workspaceId, devices),
  )
}

/** The same where rows got other slugs, as a part of what moves the counts. */
export async function refreshImageHashes(
  tx: Tx,
  workspaceId: string,
  devices: readonly ReportingDevice[],
): Promise<void> {
  const ids = devices.map(({ id }) => id)
  const running = await store.listRunningFirmwares(tx, workspaceId, ids)
  const changed = devices.flatMap(({ id: deviceId, attributes }) => {
    const before = running.get(deviceId) ?? []
    return withImageHashes(before, attributes).flatMap(({ slug, imageHash }, index) =>
      before[index]?.imageHash === imageHash ? [] : [{ deviceId, slug, imageHash }],
    )
  })
  await store.updateImageHashes(tx, workspaceId, changed)
}
