/** Notifications in the outbox and their delivery. */
import { deliverTo } from '../src/features/notification-delivery/service.ts'
import { listDueRecipients } from '../src/features/notifications/outbox-store.ts'
import type { Notice } from '../src/features/notifications/notification.ts'
import { createNotifications } from '../src/features/notifications/index.ts'
import type { AppContext } from '../src/platform/context.ts'
import { newId } from '../src/platform/ids.ts'
import { openMailer } from '../src/platform/mail/mailer.ts'
import type { MailPatience } from '../src/platform/mail/settings.ts'
import type { TestApp } from './app.ts'
import type { Client } from './given.ts'
import { confirmByLink, givenTarget, type ShownTarget } from './given-targets.ts'

/** Long enough for a busy machine: an attempt that is cut off comes again only after 30 s. */
const PATIENT: MailPatience = {
  connectMs: 30_000,
  greetingMs: 30_000,
  totalMs: 30_000,
}
/** For servers that hang on purpose. */
export const IMPATIENT: MailPatience = {
  connectMs: 500,
  greetingMs: 500,
  totalMs: 700,
}

/** The mailer of the service, over the server of a test. */
export function givenSmtp({ ctx }: TestApp, port: number, patience = PATIENT): void {
  const server = {
    host: '127.0.0.1',
    port,
    secure: false,
    requireTls: false,
    login: undefined,
    authority: undefined,
  }
  Object.assign(ctx, { mailer: openMailer({ ...ctx.config.mail, server, patience }) })
}

/** Everything that is due, as the schedule would. */
export async function deliverDue(ctx: AppContext): Promise<void> {
  const { signal } = new AbortController()
  for (const channel of ['mail', 'webhook'] as const)
    for (const recipient of await listDueRecipients(ctx.db, {
      channel,
      now: ctx.now(),
      limit: 100,
    }))
      while (await deliverTo(ctx, recipient, signal));
}

/** A target whose readers have confirmed; the confirmation mails are delivered. */
export async function givenConfirmedTarget(
  test: TestApp,
  client: Client,
  addresses: string[],
  more: object = {},
): Promise<ShownTarget> {
  const target = await givenTarget(client, addresses, more)
  await deliverDue(test.ctx)
  for (const address of addresses) await confirmByLink(test, client.workspaceId, address)
  return target
}

export const noticeOf = (more: Partial<Notice> = {}): Notice => ({
  event: 'Fired',
  workspaceName: 'Acme',
  title: 'Too hot: firing on pump-1',
  text: 'Average of temperature over 5 minutes is above 80.',
  facts: [{ name: 'Alert rule', value: 'Too hot' }],
  items: [{ label: 'pump-1', value: '95', since: null }],
  moreItems: 0,
  path: '/workspaces/w/incidents/i',
  at: '2026-08-22T10:00:00.000Z',
  data: {},
  ...more,
})

export interface GivenEvent {
  targetIds?: readonly string[]
  webhookIds?: readonly string[]
  incidentId?: string
  event?: 'Fired' | 'Resolved'
  title?: string
}

/** Creates notifications as alert rules do. @returns the incident's id. */
export async function notifyOfIncident(
  ctx: AppContext,
  workspaceId: string,
  given: GivenEvent,
): Promise<string> {
  const { targetIds = [], webhookIds = [], incidentId = newId(), event = 'Fired' } = given
  const notice = noticeOf({ event, ...(given.title !== undefined && { title: given.title }) })
  await ctx.db.transaction().execute((tx) =>
    createNotifications(ctx, tx, {
      workspaceId,
      events: [
        {
          recipients: { notificationTargetIds: targetIds, webhookIds },
          incidentId,
          eventKey: `${incidentId}:${event.toLowerCase()}`,
          notice,
        },
      ],
    }),
  )
  return incidentId
}

export interface OutboxRow {
  kind: string
  address: string | null
  state: string
  answer: string | null
  attempts: number
  dueAt: Date
  messageId: string | null
}

export async function listOutbox(
  { db }: Pick<AppContext, 'db'>,
  workspaceId: string,
): Promise<OutboxRow[]> {
  return db
    .selectFrom('notifications')
    .select(['kind', 'address', 'state', 'answer', 'attempts', 'dueAt', 'messageId'])
    .where('workspaceId', '=', workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}
