/** Stores the crashes of a batch of reports, in the transaction of the batch. */
import { normaliseBuildId } from '../../../formats/build-id.ts'
import { countDays, startOfDay, startOfHour } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import type { Actor } from '../../../platform/actor.ts'
import { recordAudit } from '../../audit/index.ts'
import type { ReportBatch } from '../../devices/index.ts'
import { placeTime, withRuns } from '../../telemetry/index.ts'
import { chooseTop, listFrames, signStack, type Stack } from '../stack.ts'
import { MOST_STACKS, placeStacks } from '../groups-service.ts'
import { collectClaims } from '../reporting/service.ts'
import {
  addDeviceDays,
  type DeviceDay,
  listChangingClaims,
  type ReportingClaim,
  updateClaims,
} from '../reporting/store.ts'
import { addTotals } from '../totals/store.ts'
import { admitCrashes, type AdmittedCrashes, KEPT_AN_HOUR, type ReportedCrash } from './reported.ts'
import * as store from './store.ts'

type IntakeContext = Pick<AppContext, 'now'>

export async function storeReportedCrashes(
  ctx: IntakeContext,
  tx: Tx,
  { workspaceId, reports }: ReportBatch,
): Promise<void> {
  const relevant = reports.filter(({ message }) => message.kind === 'crashes')
  const claims = await listChanging(tx, workspaceId, collectClaims(reports))
  if (relevant.length === 0 && claims.length === 0) return
  const ids = [...new Set(relevant.map(({ deviceId }) => deviceId))].toSorted()
  const rows = await store.lockCrashingDevices(tx, workspaceId, ids)
  const devices = new Map(rows.map((device) => [device.id, device]))
  const { crashes, faults } = collectCrashes(reports, devices)
  const admitted = await admit(ctx, tx, { workspaceId, crashes, claims })
  const kept = [...admitted.values()].flatMap((one) => one.kept)
  const refused = await storeKept(ctx, tx, { workspaceId, kept, devices })
  tellNotKept(relevant, { admitted, refused })
  const now = ctx.now()
  const hours = [...admitted].map(([deviceId, { kept: mine, droppedCount }]) => {
    const refusedCount = mine.filter((one) => refused.has(one)).length
    const fault = faults.get(deviceId)
    return {
      deviceId,
      hour: startOfHour(now),
      keptCount: mine.length - refusedCount,
      droppedCount: droppedCount + refusedCount,
      malformedCount: fault?.count ?? 0,
      lastFault: fault?.last ?? null,
      lastAt: now,
    }
  })
  await store.addDeviceHours(tx, workspaceId, hours)
}

const TOO_MANY_CRASHES = `this device told too many crashes: ${KEPT_AN_HOUR} an hour are kept, further ones are counted`
const TOO_MANY_STACKS = `this workspace has crashes with ${MOST_STACKS.toLocaleString('en')} different stacks, as many as it may have: those with further ones are counted, and not kept`

interface NotKept {
  admitted: ReadonlyMap<string, AdmittedCrashes>
  refused: ReadonlySet<ReportedCrash>
}

/** A device whose crashes are not kept shall know it, as far as its door can answer. */
function tellNotKept(reports: ReportBatch['reports'], { admitted, refused }: NotKept): void {
  const withoutRoom = new Set([...refused].map(({ deviceId }) => deviceId))
  for (const { deviceId, tellNotKept: tell } of reports) {
    const tellWhy = (detail: string) => tell?.({ pointer: '/crashes', detail })
    if ((admitted.get(deviceId)?.droppedCount ?? 0) > 0) tellWhy(TOO_MANY_CRASHES)
    if (withoutRoom.has(deviceId)) tellWhy(TOO_MANY_STACKS)
  }
}

async function listChanging(tx: Tx, workspaceId: string, claims: readonly ReportingClaim[]) {
  if (claims.length === 0) return []
  const changing = await listChangingClaims(tx, workspaceId, claims)
  return claims.filter(({ deviceId }) => changing.has(deviceId))
}

interface CollectedCrashes {
  /** By device. */
  crashes: Map<string, ReportedCrash[]>
  faults: Map<string, { count: number; last: string }>
}

/** Of devices that exist. */
function collectCrashes(
  reports: ReportBatch['reports'],
  devices: ReadonlyMap<string, store.CrashingDevice>,
): CollectedCrashes {
  const crashes = new Map<string, ReportedCrash[]>()
  const faults: CollectedCrashes['faults'] = new Map()
  for (const one of withRuns(reports, (deviceId) => devices.get(deviceId)?.runIds ?? [])) {
    const { message, reported } = one
    const { deviceId } = reported(undefined)
    if (message.kind !== 'crashes' || !devices.has(deviceId)) continue
    const list = crashes.get(deviceId) ?? []
    crashes.set(deviceId, list)
    for (const crash of message.crashes) list.push({ ...reported(crash.runId), crash })
    const last = message.faults.at(-1)
    if (!last) continue
    const count = (faults.get(deviceId)?.count ?? 0) + message.malformedCount
    faults.set(deviceId, { count, last: `${last.pointer} ${last.detail}`.trim() })
  }
  return { crashes, faults }
}

interface Admission {
  workspaceId: string
  crashes: CollectedCrashes['crashes']
  claims: readonly ReportingClaim[]
}

/** A device that sends a crash reports crashes, whatever it said before. */
async function admit(
  ctx: IntakeContext,
  tx: Tx,
  { workspaceId, crashes, claims }: Admission,
): Promise<Map<string, AdmittedCrashes>> {
  const now = ctx.now()
  const ids = new Set([...crashes.keys(), ...claims.map(({ deviceId }) => deviceId)])
  const at = { workspaceId, hour: startOfHour(now) }
  const memories = await store.lockMemories(tx, at, [...ids].toSorted())
  if (claims.length > 0) await updateClaims(tx, workspaceId, claims)
  const admitted = new Map(
    memories.flatMap(({ deviceId, ...memory }) => {
      const sent = crashes.get(deviceId)
      return sent ? [[deviceId, admitCrashes(memory, sent, now)] as const] : []
    }),
  )
  const crashed = [...admitted].map(([deviceId, { memory }]) => ({ deviceId, ...memory }))
  if (crashed.length > 0) await store.updateMemories(tx, { workspaceId, at: now }, crashed)
  return admitted
}

interface KeptCrashes {
  workspaceId: string
  kept: readonly ReportedCrash[]
  devices: ReadonlyMap<string, store.CrashingDevice>
}

/** Answers those for which there is no room: the workspace has as many stacks as it may have. */
async function storeKept(
  ctx: IntakeContext,
  tx: Tx,
  { workspaceId, kept, devices }: KeptCrashes,
): Promise<ReadonlySet<ReportedCrash>> {
  if (kept.length === 0) return new Set()
  const named = await store.findVersionsOfBuilds(
    tx,
    workspaceId,
    kept.flatMap(({ crash }) => crash.buildId ?? []),
  )
  const running = await store.listRunning(tx, workspaceId, [...devices.keys()])
  const placed = kept.map((one) => {
    const days = devices.get(one.deviceId)?.logRetentionDays ?? 0
    const times = placeTime(one.crash.timestamp, {
      receivedAt: one.receivedAt,
      retentionDays: days,
    })
    const version =
      (one.crash.buildId === undefined ? undefined : named.get(one.crash.buildId)) ??
      findRunning(running.get(one.deviceId) ?? [], one, times.time)
    const frames = listFrames(one.crash)
    const stack: Stack = {
      firmwareId: version?.firmwareId ?? null,
      reason: one.crash.reason,
      buildId: one.crash.buildId ?? nameBuild(version),
      addresses: chooseTop(frames),
    }
    return { one, version, frames, stack, signature: signStack(stack), ...times }
  })
  const at = ctx.now()
  const stacks = await placeStacks(tx, { workspaceId, at }, placed)
  const stored = placed.flatMap((crash) => {
    const placedAt = stacks.get(crash.signature)
    return placedAt ? [{ ...crash, ...placedAt }] : []
  })
  await addTotals(tx, workspaceId, stored.map(asCounted))
  await store.addVersionCounts(tx, { workspaceId, receivedAt: at }, stored.map(asCounted))
  await store.addDailyCounts(tx, workspaceId, stored.map(asCounted))
  await addDeviceDays(tx, workspaceId, placed.flatMap(asDeviceDay))
  await store.insertReports(tx, workspaceId, stored.map(asReport))
  await store.deleteOlderReports(tx, workspaceId, stored.map(asCounted))
  await reopenReturned(ctx, tx, workspaceId, [...new Set(stored.map(({ stackId }) => stackId))])
  const fitting = new Set(stored.map(({ one }) => one))
  return new Set(kept.filter((one) => !fitting.has(one)))
}

/** A crash is of the version that its build id names, else of what the device has been running since before the crash. */
function findRunning(
  running: readonly store.RunningVersion[],
  { crash }: ReportedCrash,
  time: Date,
): store.CrashVersion | undefined {
  const candidates = running.filter(({ slug }) => crash.slug === undefined || slug === crash.slug)
  const [only] = candidates
  if (!only || candidates.length > 1 || only.since > time) return undefined
  return only
}

/** Its build id, else slug@version. */
function nameBuild(version: store.CrashVersion | undefined): string | null {
  if (!version) return null
  const { slug, name, buildId } = version
  return buildId === null ? `${slug}@${name}` : normaliseBuildId(buildId)
}

interface StoredCrash {
  one: ReportedCrash
  version: store.CrashVersion | undefined
  frames: ReturnType<typeof listFrames>
  stack: Stack
  stackId: string
  groupId: string
  time: Date
  deviceTime: Date | null
}

const asCounted = ({ one, version, stackId, groupId, time }: StoredCrash): store.CountedCrash => ({
  stackId,
  groupId,
  firmwareVersionId: version?.id ?? null,
  deviceId: one.deviceId,
  time,
  day: startOfDay(countDays(time)),
})

/** Also of crashes for whose stack there is no room. */
const asDeviceDay = ({
  one,
  version,
  time,
}: Pick<StoredCrash, 'one' | 'version' | 'time'>): DeviceDay[] =>
  version
    ? [
        {
          firmwareVersionId: version.id,
          deviceId: one.deviceId,
          day: startOfDay(countDays(time)),
          crashCount: 1,
        },
      ]
    : []

const asReport = (stored: StoredCrash): store.ReportRow => ({
  ...asCounted(stored),
  id: newId(),
  deviceTime: stored.deviceTime,
  buildId: stored.stack.buildId,
  runId: stored.one.runId ?? null,
  thread: stored.one.crash.thread ?? null,
  frames: stored.frames,
})

const SERVICE: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

/** Groups that were closed as mended in a version open again when this version or a later one crashes alike. */
async function reopenReturned(
  ctx: IntakeContext,
  tx: Tx,
  workspaceId: string,
  stackIds: readonly string[],
): Promise<void> {
  const returned = await store.reopenReturned(tx, { workspaceId, at: ctx.now() }, stackIds)
  for (const { id, fixedIn, version, title } of returned)
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: SERVICE,
      action: 'crash-group.reopen',
      resourceType: 'crash-group',
      resourceId: id,
      before: { fixedIn },
      after: { title, version },
    })
}
