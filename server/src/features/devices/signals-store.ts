/** Signals to all nodes that hold connections of devices. They hold ids only, and are sent when the transaction commits. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { listen, type ListenOptions } from '../../platform/db/listen.ts'

const CHANNEL = 'plimsoll_devices'

export type DeviceSignal =
  /** The desired configuration or update changed. Without ids: of any device of the workspace. */
  | { kind: 'desired'; workspaceId: string; deviceIds?: readonly string[] }
  /** A key was revoked or a device deleted: its connections end. */
  | { kind: 'disconnect'; workspaceId: string; deviceId?: string; keyId?: string }
  /** Certificates were revoked, or are trusted no more: each connection of the workspace is looked at. */
  | { kind: 'recheck'; workspaceId: string }
  /** Signals may have been missed: everything has to be checked again. */
  | { kind: 'regained' }

/** A payload of PostgreSQL has less than 8,000 bytes, and an id up to 128. */
const MOST_IDS = 50

/** `deviceIds`: the devices whose configuration or update this transaction changes. More than 50 signal the workspace. */
export async function signalDesiredChange(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[] | 'all',
): Promise<void> {
  if (deviceIds.length === 0) return
  const isShort = deviceIds !== 'all' && deviceIds.length <= MOST_IDS
  await send(tx, { kind: 'desired', workspaceId, ...(isShort ? { deviceIds } : {}) })
}

export async function signalDisconnect(
  tx: Db,
  whose: { workspaceId: string; deviceId?: string; keyId?: string },
): Promise<void> {
  await send(tx, { kind: 'disconnect', ...whose })
}

export async function signalRecheck(tx: Db, workspaceId: string): Promise<void> {
  await send(tx, { kind: 'recheck', workspaceId })
}

/** The connections of the devices end. */
export async function signalDeleted(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  const signals = deviceIds.map((deviceId): DeviceSignal => ({
    kind: 'disconnect',
    workspaceId,
    deviceId,
  }))
  await sql`select count(pg_notify(${CHANNEL}, signal))
    from unnest(${signals.map((signal) => JSON.stringify(signal))}::text[]) as signal`.execute(tx)
}

async function send(tx: Db, signal: DeviceSignal): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(signal)})`.execute(tx)
}

/** Resolves when it listens. The result stops it. */
export async function listenToDeviceSignals(
  { pool, log }: Pick<ListenOptions, 'pool' | 'log'>,
  onSignal: (signal: DeviceSignal) => void,
): Promise<() => Promise<void>> {
  return listen({
    pool,
    log,
    channel: CHANNEL,
    // Only this file sends on the channel.
    onPayload: (payload) => onSignal(JSON.parse(payload) as DeviceSignal),
    onRegained: () => onSignal({ kind: 'regained' }),
  })
}
