import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { openConfirmLink, openUnsubscribeLink } from './service.ts'
import { confirmPage, type OpenedLink, unsubscribePage } from './page.ts'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const FORM_BYTES = 16 * 1024

const STATUS: Readonly<Record<OpenedLink['outcome'], number>> = {
  Unknown: 404,
  Expired: 410,
  NotWanted: 200,
  Asks: 200,
  Confirmed: 200,
  Unsubscribed: 200,
}

/**
 * What links of mails lead to; the token of the link is the right to it. A POST is the button of the page, or the program
 * of the reader that ends a subscription in one click (RFC 8058 section 3.2).
 */
export function addressRoutes(app: App, ctx: AppContext): void {
  // What a form holds besides its address is nothing that is asked for.
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: FORM_BYTES } as const
  app.addContentTypeParser('*', options, (_request, _body, done) => done(null))

  const pages = [
    { path: '/notifications/confirm', open: openConfirmLink, page: confirmPage },
    { path: '/notifications/unsubscribe', open: openUnsubscribeLink, page: unsubscribePage },
  ] as const
  for (const { path, open, page } of pages) {
    const answer = (agrees: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      const { token } = request.query as { token?: unknown }
      const text = typeof token === 'string' ? token : ''
      const link = await open(ctx, { token: text, agrees, requestId: request.id })
      return reply
        .code(STATUS[link.outcome])
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': POLICY,
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .serializer(String)
        .send(page(link))
    }
    app.get(path, { schema: { hide: true } }, answer(false))
    app.post(path, { schema: { hide: true } }, answer(true))
  }
}
