/** The page that ends mails of advisories. Its token is the authorisation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../../platform/context.ts'
import { renderHtml } from '../../../platform/html.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendPage } from '../../../platform/http/pages.ts'
import { type PlainPage, renderPlainPage } from '../../../platform/plain-page.ts'
import { recordAudit } from '../../audit/index.ts'
import { readPublisherSettings } from '../publisher-service.ts'
import { findPublisher } from '../publisher-store.ts'
import * as store from './store.ts'
import { readUnsubscribeToken, UNSUBSCRIBE_PATH } from './unsubscribe.ts'

/** A POST comes from the button of the page, or from the reader's mail program, which unsubscribes with one click (RFC 8058, section 3.2). */
export function registerAdvisoryMailPages(app: App, ctx: AppContext): void {
  const answer = (agrees: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.query as { token?: unknown }
    const text = typeof token === 'string' ? token : ''
    const { status, page } = await openLink(ctx, { token: text, agrees, requestId: request.id })
    reply.code(status).header('cache-control', 'no-store')
    return sendPage(reply, renderPlainPage(page))
  }
  app.get(UNSUBSCRIBE_PATH, { schema: { hide: true } }, answer(false))
  app.post(UNSUBSCRIBE_PATH, { schema: { hide: true } }, answer(true))
}

const UNKNOWN: PlainPage = {
  title: 'This link does not work',
  paragraphs: [
    'It is incomplete, or this service has not made it. Open the whole link of the mail.',
  ],
}

interface OpenedLink {
  status: number
  page: PlainPage
}

async function openLink(
  ctx: AppContext,
  { token, agrees, requestId }: { token: string; agrees: boolean; requestId: string },
): Promise<OpenedLink> {
  const reader = readUnsubscribeToken(ctx.signingKey, token)
  const isThere = reader && (await findPublisher(ctx.db, reader.workspaceId)) !== undefined
  if (!reader || isThere !== true) return { status: 404, page: UNKNOWN }
  const { workspaceId, address } = reader
  const { publisher } = await readPublisherSettings(ctx, ctx.db, workspaceId)
  const name = renderHtml`<strong><bdi>${publisher.name}</bdi></strong>`
  if (!agrees) {
    const paragraphs = [renderHtml`${name} tells ${address} of security advisories by mail.`]
    return {
      status: 200,
      page: { title: 'End these mails?', paragraphs, button: 'Send me no more' },
    }
  }
  await ctx.db.transaction().execute(async (tx) => {
    await store.addUnwanted(tx, { workspaceId, address, since: ctx.now() })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: { type: 'System', id: undefined, email: undefined, requestId },
      action: 'advisory-mail.refuse',
      resourceType: 'workspace',
      resourceId: workspaceId,
      after: { address },
    })
  })
  return {
    status: 200,
    page: {
      title: 'You get no more of these mails',
      paragraphs: [
        renderHtml`${name} tells ${address} of no more security advisories by mail. You still find those that are public where they publish them.`,
      ],
    },
  }
}
