/** Devices with metrics and logs, without a door. */
import { sql } from 'kysely'
import type { DeviceMessage, LogLine, MetricPoint } from '../src/formats/device-messages/model.ts'
import type { DeviceReport } from '../src/features/devices/index.ts'
import { storeReportedTelemetry } from '../src/features/telemetry/index.ts'
import type { AppContext } from '../src/platform/context.ts'

export interface GivenDevice {
  workspaceId: string
  deviceId: string
}

export async function givenDevice(
  ctx: AppContext,
  workspaceId: string,
  device: { id?: string; runIds?: string[] } = {},
): Promise<GivenDevice> {
  const { id = `device-${crypto.randomUUID()}`, runIds = [] } = device
  await ctx.db
    .insertInto('devices')
    .values({ workspaceId, id, runIds, createdAt: new Date(), effectiveLogSeverity: 'Info' })
    .execute()
  return { workspaceId, deviceId: id }
}

export function reportOf(device: GivenDevice, message: DeviceMessage, at?: Date): DeviceReport {
  return { ...device, door: 'Mqtt', receivedAt: at ?? new Date(), message }
}

export function metrics(device: GivenDevice, points: MetricPoint[], at?: Date): DeviceReport {
  return reportOf(device, { kind: 'metrics', points }, at)
}

export function logs(device: GivenDevice, lines: LogLine[], at?: Date): DeviceReport {
  return reportOf(device, { kind: 'logs', lines }, at)
}

/** One batch, in a transaction of its own. */
export async function storeTelemetry(
  ctx: AppContext,
  ...reports: readonly DeviceReport[]
): Promise<void> {
  const workspaceId = reports[0]?.workspaceId ?? ''
  await ctx.db
    .transaction()
    .execute((tx) => storeReportedTelemetry(ctx, tx, { workspaceId, reports }))
}

/** The partition of a row: `default` or its day. On Citus its table is a shard, whose number follows. */
export const partitionOfRow = sql<string>`
  regexp_replace(tableoid::regclass::text, '^.*_(default|[0-9]{8})(_[0-9]+)?$', '\\1')`
