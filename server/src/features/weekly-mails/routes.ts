import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import { defineProblems } from '../../platform/http/schemas.ts'
import { UNSUBSCRIBE_PATH } from './link.ts'
import { unsubscribePage } from './page.ts'
import * as schemas from './schemas.ts'
import * as service from './service.ts'

const mine = { tags: ['People'], security: [{ session: [] }] }

/** Routes of whoever is signed in. */
export function registerOwnNotificationRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/me/notifications',
    {
      schema: {
        operationId: 'getMyNotifications',
        summary: 'Get what mails you get of each of your workspaces',
        ...mine,
        response: { 200: schemas.MyNotifications, ...defineProblems() },
      },
    },
    ({ signedIn }) => service.getMyNotifications(ctx, signedIn),
  )

  app.put(
    '/me/notifications/:workspaceId',
    {
      schema: {
        operationId: 'changeMyNotifications',
        summary: 'Choose what mails you get of a workspace',
        description:
          'The weekly mail tells what is new, what was decided and what is overdue. It comes at a day and time of yours. Whoever may decide is also told of proposals that wait, unless they want no such mails.',
        ...mine,
        params: schemas.MyWorkspaceParams,
        body: schemas.ChangeMyNotificationsCommand,
        response: { 200: schemas.MyWorkspaceNotifications, ...defineProblems(400, 404) },
      },
    },
    ({ signedIn: me, params: { workspaceId }, body }) =>
      service.changeMyNotifications(ctx, { me, workspaceId, ...body }),
  )
}

/**
 * The page that the link of a mail opens; its token is the authorisation. A POST comes from the button of the page, or from
 * the reader's mail program, which unsubscribes with one click (RFC 8058 section 3.2).
 */
export function registerWeeklyMailPages(app: App, ctx: AppContext): void {
  const answer = (agrees: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.query as { token?: unknown }
    const text = typeof token === 'string' ? token : ''
    const opened = await service.openUnsubscribeLink(ctx, {
      token: text,
      agrees,
      requestId: request.id,
    })
    reply.code(opened.outcome === 'Unknown' ? 404 : 200).header('cache-control', 'no-store')
    return sendPage(reply, unsubscribePage(opened))
  }
  app.get(UNSUBSCRIBE_PATH, { schema: { hide: true } }, answer(false))
  app.post(UNSUBSCRIBE_PATH, { schema: { hide: true } }, answer(true))
}
