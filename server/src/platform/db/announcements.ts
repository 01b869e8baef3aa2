/**
 * Tells all nodes which answers about a workspace are stale. Sent with the transaction that changes them; they hold no
 * data. Equal ones of a transaction are one.
 */
import { sql } from 'kysely'
import type { AppContext } from '../context.ts'
import type { NodeMemory } from '../node-memory.ts'
import type { Db } from './connect.ts'
import { listen, type ListenOptions } from './listen.ts'

const CHANNEL = 'plimsoll_changes'

/** What changed. `everything`: announcements may have been missed. */
export const TOPICS = [
  'findings',
  'sboms',
  'firmware',
  'devices',
  'deployments',
  'alerts',
  'cases',
  'customers',
  'sources',
  'members',
  'settings',
  'audit',
  'everything',
] as const
export type Topic = (typeof TOPICS)[number]

export interface Announcement {
  /** null: all workspaces. */
  workspaceId: string | null
  topic: Topic
}

export async function announce(
  tx: Db,
  workspaceId: string | null,
  topics: readonly Topic[],
): Promise<void> {
  const payloads = topics.map((topic) => JSON.stringify({ workspaceId, topic }))
  await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    tx,
  )
}

const LATER_MS = 1_000
const makeWaiting = () => new Map<string, Set<Topic>>()

/**
 * For changes that come thousands of times a second: announces them together, once a second for each workspace. Call
 * it in the transaction; it is sent after. One that is lost is followed by the next.
 */
export function announceLater(
  { db, memory }: Pick<AppContext, 'db'> & { memory: NodeMemory },
  workspaceId: string,
  topics: readonly Topic[],
): void {
  const waiting = memory.of(makeWaiting)
  const known = waiting.get(workspaceId)
  if (known) {
    for (const topic of topics) known.add(topic)
    return
  }
  const all = new Set(topics)
  waiting.set(workspaceId, all)
  setTimeout(() => {
    waiting.delete(workspaceId)
    void announce(db, workspaceId, [...all]).catch(() => undefined)
  }, LATER_MS).unref()
}

/** Resolves when it listens. The result stops it. */
export function listenToAnnouncements(
  { pool, log }: Pick<ListenOptions, 'pool' | 'log'>,
  onAnnouncement: (announcement: Announcement) => void,
): Promise<() => Promise<void>> {
  return listen({
    pool,
    log,
    channel: CHANNEL,
    // Only this file sends on the channel.
    onPayload: (payload) => onAnnouncement(JSON.parse(payload) as Announcement),
    onRegained: () => onAnnouncement({ workspaceId: null, topic: 'everything' }),
  })
}
