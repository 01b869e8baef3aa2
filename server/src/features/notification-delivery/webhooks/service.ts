/** Brings one message to one webhook. */
import type { AppContext } from '../../../platform/context.ts'
import { retryAfterMs } from '../../../platform/http-client/index.ts'
import {
  disableWebhook,
  recordWebhookAnswer,
  secretsOf,
  type SigningWebhook,
} from '../../notification-targets/index.ts'
import type { Notice } from '../../notifications/index.ts'
import { plainText, readAnswer, type WebhookAnswer } from './answer.ts'
import { signatureHeaders, webhookBody } from './message.ts'

interface Delivery {
  workspaceId: string
  webhook: SigningWebhook
  notification: { id: string; notice: Notice }
}

/** One attempt, whose outcome also shows on the webhook. It fails when it is told to stop. */
export async function deliverWebhook(
  ctx: AppContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const answer = await attempt(ctx, delivery, signal)
  const { workspaceId, webhook } = delivery
  await recordWebhookAnswer(ctx.db, {
    workspaceId,
    id: webhook.id,
    isDelivered: answer.outcome === 'Delivered',
    answer: answer.answer,
    at: ctx.now(),
  })
  if (answer.outcome === 'Refused') await disableWebhook(ctx, delivery)
  return answer
}

async function attempt(
  ctx: AppContext,
  { workspaceId, webhook, notification }: Delivery,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { id, notice } = notification
  const { publicUrl } = ctx.config
  const body = webhookBody({ workspaceId, publicUrl, notice })
  const secrets = secretsOf(webhook, ctx.now())
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders({ id, at: ctx.now(), body, secrets }),
  }
  try {
    const {
      status,
      headers: said,
      text,
    } = await ctx.http.post(webhook.url, { headers, body }, signal)
    const { location } = said
    const wait = retryAfterMs(said['retry-after'], ctx.now().getTime())
    return readAnswer({ status, text, location, retryAfterMs: wait })
  } catch (error) {
    if (signal.aborted) throw error
    // Whatever a server, its name or the way there does is no fault of ours.
    const text = error instanceof Error ? error.message : String(error)
    return { outcome: 'Deferred', answer: plainText(text) }
  }
}
