/** Notification targets and the readers of their addresses. */
import { confirmUrl, unsubscribeUrl } from '../src/features/notification-targets/addresses/links.ts'
import type { AppContext } from '../src/platform/context.ts'
import type { TestApp } from './app.ts'
import type { Client } from './given.ts'

export interface ShownTarget {
  id: string
  name: string
  type: string
  state: string
  emailAddresses: string[] | null
  alertRuleCount: number
  addresses: { emailAddress: string; state: string; confirmedAt: string | null }[]
  quietHours: object | null
  digest: object | null
  createdAt: string
  updatedAt: string
}

export const targetBody = (emailAddresses: string[] | null, more: object = {}) => ({
  name: 'On call',
  type: 'Email',
  state: 'Enabled',
  emailAddresses,
  ...more,
})

export async function givenTarget(
  client: Client,
  emailAddresses: string[],
  more: object = {},
): Promise<ShownTarget> {
  const response = await client.post('/notification-targets', targetBody(emailAddresses, more))
  return response.json<ShownTarget>()
}

/** A mail server is configured, but nothing delivers: mails stay in the outbox. */
export function givenMailServer({ ctx }: TestApp): void {
  const mailer = { send: () => Promise.reject(new Error('no mail is delivered here')) }
  Object.assign(ctx, { mailer })
}

/** The addresses with a mail of this kind in the outbox, one per mail. */
export async function listMailed(
  { db }: Pick<AppContext, 'db'>,
  workspaceId: string,
  kind: 'Confirmation' | 'Test',
): Promise<string[]> {
  const rows = await db
    .selectFrom('notifications')
    .select('address')
    .where('workspaceId', '=', workspaceId)
    .where('kind', '=', kind)
    .orderBy('address')
    .execute()
  return rows.map(({ address }) => address ?? '')
}

/** The reader presses the button of the linked page. */
export async function confirmByLink(
  { app, ctx }: TestApp,
  workspaceId: string,
  address: string,
): Promise<void> {
  const url = pathOf(confirmUrl(ctx, workspaceId, address))
  await app.inject({ method: 'POST', url, ...FORM })
}

export async function unsubscribeByLink(
  { app, ctx }: TestApp,
  workspaceId: string,
  address: string,
): Promise<void> {
  const url = pathOf(unsubscribeUrl(ctx, workspaceId, address))
  await app.inject({ method: 'POST', url, ...FORM })
}

export const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** What tests do with the addresses of targets, while only they move the time. */
export function actOnAddresses(given: () => { test: TestApp; client: Client }) {
  const setTime = (ms: number) => {
    given().test.ctx.now = () => new Date(ms)
  }
  return {
    stopClock: () => setTime(Date.now()),
    later: (ms: number) => setTime(given().test.ctx.now().getTime() + ms),
    /** Of the first address. */
    stateOf: async ({ id }: { id: string }) => {
      const answer = await given().client.get(`/notification-targets/${id}`)
      return answer.json<ShownTarget>().addresses[0]?.state
    },
    setAddresses: ({ id }: { id: string }, addresses: string[]) =>
      given().client.put(`/notification-targets/${id}`, targetBody(addresses)),
    askAgain: ({ id }: { id: string }, emailAddress: string) =>
      given().client.post(`/notification-targets/${id}/addresses/confirmations`, { emailAddress }),
    listAsked: () => listMailed(given().test.ctx, given().client.workspaceId, 'Confirmation'),
  }
}
