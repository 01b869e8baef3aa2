/** What every node that holds connections of devices has to know at once; ids only, sent when the transaction commits. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { listen, type Listening } from '../../platform/db/listen.ts'

const CHANNEL = 'plimsoll_devices'

export type DeviceAnnouncement =
  /** Configuration or an update changed; without ids: for any device of the workspace. */
  | { kind: 'desired'; workspaceId: string; deviceIds?: readonly string[] }
  /** A key was revoked or a device deleted: connections by it end. */
  | { kind: 'disconnect'; workspaceId: string; deviceId?: string; keyId?: string }
  /** Announcements may have been missed: everything has to be looked at again. */
  | { kind: 'regained' }

/** PostgreSQL takes no payload of 8,000 bytes, and an id may have 128. */
const MOST_IDS = 50

/** `deviceIds`: whose configuration or update this transaction changes. */
export async function announceDesired(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[] | 'all',
): Promise<void> {
  if (deviceIds.length === 0) return
  const isShort = deviceIds !== 'all' && deviceIds.length <= MOST_IDS
  await announce(tx, { kind: 'desired', workspaceId, ...(isShort ? { deviceIds } : {}) })
}

export async function announceDisconnect(
  tx: Db,
  whose: { workspaceId: string; deviceId?: string; keyId?: string },
): Promise<void> {
  await announce(tx, { kind: 'disconnect', ...whose })
}

async function announce(tx: Db, announcement: DeviceAnnouncement): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(announcement)})`.execute(tx)
}

/** Resolves when it listens; the result ends it. */
export async function listenToDevices(
  { pool, log }: Pick<Listening, 'pool' | 'log'>,
  onAnnouncement: (announcement: DeviceAnnouncement) => void,
): Promise<() => Promise<void>> {
  return listen({
    pool,
    log,
    channel: CHANNEL,
    // Only this file announces on the channel.
    onPayload: (payload) => onAnnouncement(JSON.parse(payload) as DeviceAnnouncement),
    onRegained: () => onAnnouncement({ kind: 'regained' }),
  })
}
