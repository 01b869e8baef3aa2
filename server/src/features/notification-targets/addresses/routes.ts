import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendPage } from '../../../platform/http/pages.ts'
import { openConfirmLink, openUnsubscribeLink } from './service.ts'
import { confirmPage, type OpenedLink, unsubscribePage } from './page.ts'

const STATUS: Readonly<Record<OpenedLink['outcome'], number>> = {
  Unknown: 404,
  Expired: 410,
  NotWanted: 200,
  Asks: 200,
  Confirmed: 200,
  Unsubscribed: 200,
}

/**
 * The pages that links in mails open. The token of the link is the authorisation. A POST comes from the button of the
 * page, or from the reader's mail program, which unsubscribes with one click (RFC 8058 section 3.2).
 */
export function registerAddressRoutes(app: App, ctx: AppContext): void {
  const pages = [
    { path: '/notifications/confirm', open: openConfirmLink, page: confirmPage },
    { path: '/notifications/unsubscribe', open: openUnsubscribeLink, page: unsubscribePage },
  ] as const
  for (const { path, open, page } of pages) {
    const answer = (agrees: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      const { token } = request.query as { token?: unknown }
      const text = typeof token === 'string' ? token : ''
      const link = await open(ctx, { token: text, agrees, requestId: request.id })
      const status = STATUS[link.outcome]
      return sendPage(reply.code(status).header('cache-control', 'no-store'), page(link))
    }
    app.get(path, { schema: { hide: true } }, answer(false))
    app.post(path, { schema: { hide: true } }, answer(true))
  }
}
