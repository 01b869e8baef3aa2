/** Puts what is to be said into the outbox, in the transaction that makes it true. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './announce-store.ts'
import { GIVE_UP_MS } from './back-off.ts'
import { nextDigest } from './digest.ts'
import type { Notice } from './notice.ts'
import { confirmationNotice, testNotice } from './own-notices.ts'
import { endOfQuiet } from './quiet-hours.ts'

type AnnounceContext = Pick<AppContext, 'now'>

export interface Announcement {
  recipients: {
    notificationTargetIds: readonly string[]
    webhookIds: readonly string[]
  }
  incidentId: string
  /** `<incidentId>:fired`, `:reminder:<instant>`, `:resolved`: nobody is told the same twice. */
  eventKey: string
  notice: Notice
}

/** Tells of many: recipients are looked up once for all. */
export async function announceAll(
  ctx: AnnounceContext,
  tx: Tx,
  { workspaceId, announcements }: { workspaceId: string; announcements: readonly Announcement[] },
): Promise<void> {
  const now = ctx.now()
  const idsOf = (of: (one: Announcement['recipients']) => readonly string[]) => [
    ...new Set(announcements.flatMap(({ recipients }) => of(recipients))),
  ]
  const targetIds = idsOf(({ notificationTargetIds }) => notificationTargetIds)
  const webhookIds = idsOf(({ webhookIds: ids }) => ids)
  const addresses = await turnsOf(tx, { workspaceId, targetIds, now })
  const webhooks = new Set(
    webhookIds.length === 0 ? [] : await store.listEnabledWebhooks(tx, workspaceId, webhookIds),
  )
  const events = announcements.map(({ recipients, incidentId, eventKey, notice }) => ({
    kind: 'Incident' as const,
    eventKey,
    incidentId,
    notice,
    recipients: [
      ...earliestOf(recipients.notificationTargetIds.flatMap((id) => addresses.get(id) ?? [])),
      ...[...new Set(recipients.webhookIds)]
        .filter((id) => webhooks.has(id))
        .map((webhookId) => ({ address: null, webhookId, targetId: null, dueAt: now })),
    ].map(withEnd),
  }))
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events })
}

type Turn = Pick<store.NewRecipient, 'address' | 'webhookId' | 'targetId' | 'dueAt'>

/** When each address of each target may be written to. */
async function turnsOf(
  tx: Tx,
  { workspaceId, targetIds, now }: { workspaceId: string; targetIds: string[]; now: Date },
): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>()
  if (targetIds.length === 0) return turns
  for (const row of await store.listDeliverableAddresses(tx, workspaceId, targetIds)) {
    const { targetId, address, quietHours, digest } = row
    const known = turns.get(targetId)
    const dueAt =
      known?.[0]?.dueAt ?? endOfQuiet(quietHours, digest ? nextDigest(digest, now) : now)
    const turn = { address, webhookId: null, targetId, dueAt }
    if (known) known.push(turn)
    else turns.set(targetId, [turn])
  }
  return turns
}

/** An address that several targets have is written to once, when the first of them would. */
function earliestOf(turns: readonly Turn[]): Turn[] {
  const earliest = new Map<string | null, Turn>()
  for (const turn of turns) {
    const known = earliest.get(turn.address)
    if (!known || turn.dueAt < known.dueAt) earliest.set(turn.address, turn)
  }
  return [...earliest.values()]
}

function withEnd(turn: Turn): store.NewRecipient {
  return { id: newId(), ...turn, giveUpAt: new Date(turn.dueAt.getTime() + GIVE_UP_MS) }
}

export interface AnnounceTo {
  workspaceId: string
  kind: 'Test' | 'Confirmation'
  /** A confirmation may go to an address nobody confirmed. Whether a test may is for the caller to tell. */
  recipient: { address: string; targetId: string | null } | { webhookId: string }
  /** Of the target or the webhook. */
  name: string
  /** Who asked for it; undefined: not known. */
  askedBy: string | undefined
}

/** Tells one recipient alone, at once. The result is the notification's id. */
export async function announceTo(
  ctx: AnnounceContext,
  tx: Tx,
  { workspaceId, kind, recipient, name, askedBy }: AnnounceTo,
): Promise<string> {
  const now = ctx.now()
  const workspaceName = await store.findWorkspaceName(tx, workspaceId)
  const make = kind === 'Test' ? testNotice : confirmationNotice
  const notice = make({ workspaceName, name, askedBy, at: now.toISOString() })
  const turn =
    'address' in recipient
      ? { ...recipient, webhookId: null, dueAt: now }
      : { ...recipient, address: null, targetId: null, dueAt: now }
  const row = withEnd(turn)
  const eventKey = `${kind.toLowerCase()}:${row.id}`
  const event = { kind, eventKey, incidentId: null, notice, recipients: [row] }
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: [event] })
  return row.id
}
