/** Sends one message to one webhook. */
import { asking } from '../../../platform/asking.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { notFound } from '../../../platform/errors.ts'
import { retryAfterMs } from '../../../platform/http-client/index.ts'
import { isUuid } from '../../../platform/ids.ts'
import {
  decryptWebhookSecrets,
  disableWebhook,
  recordWebhookAnswer,
  listSigningSecrets,
  type SigningWebhook,
  type WebhookFormat,
} from '../../notification-targets/index.ts'
import { findWebhookNotice, type Notice } from '../../notifications/index.ts'
import type { DeliveryOutcome } from '../claim.ts'
import { shortenLine, readAnswer, type WebhookAnswer } from './answer.ts'
import { signAttempt, writeWebhookBody } from './message.ts'

const CONTENT_TYPE = { 'content-type': 'application/json' }

/** What each attempt sends, but for the time and the signature. */
export async function readRequest(
  ctx: Pick<AppContext, 'db' | 'config'>,
  { workspaceId, notificationId: id }: { workspaceId: string; notificationId: string },
) {
  const found = isUuid(id) ? await findWebhookNotice(ctx.db, workspaceId, id) : undefined
  if (!found) throw notFound('notification', id)
  const { webhookId, url, notice, format } = found
  if (webhookId === null) return { request: null }
  const body = writeBody(ctx, { workspaceId, notice, format: format ?? 'Plimsoll' })
  const headers = { ...CONTENT_TYPE, 'webhook-id': id.toLowerCase() }
  return { request: { method: 'POST' as const, url, headers, body } }
}

function writeBody(
  { config: { publicUrl, servesPortal: hasPortal } }: Pick<AppContext, 'config'>,
  of: { workspaceId: string; notice: Notice; format: WebhookFormat },
): string {
  return writeWebhookBody({ ...of, publicUrl, hasPortal })
}

interface Delivery {
  workspaceId: string
  webhook: SigningWebhook
  notification: { id: string; notice: Notice }
}

/** Makes one attempt. Rejects when the signal is aborted. */
export async function deliverWebhook(
  ctx: AppContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome<Tx>> {
  const answered = await attempt(ctx, delivery, signal)
  const { workspaceId, webhook } = delivery
  const { outcome, answer } = answered
  const isDelivered = outcome === 'Delivered'
  return {
    ...answered,
    recordAnswer: async (tx, at) => {
      await recordWebhookAnswer(tx, { workspaceId, id: webhook.id, isDelivered, answer, at })
      if (outcome === 'Refused') await disableWebhook(ctx, tx, delivery)
    },
  }
}

async function attempt(
  ctx: AppContext,
  { workspaceId, webhook, notification }: Delivery,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { id, notice } = notification
  const body = writeBody(ctx, { workspaceId, notice, format: webhook.format })
  try {
    const { encryptionKeys } = ctx.config
    const decrypted = decryptWebhookSecrets(encryptionKeys, { workspaceId, ...webhook })
    const secrets = listSigningSecrets(decrypted, ctx.now())
    const headers = { ...CONTENT_TYPE, ...signAttempt({ id, at: ctx.now(), body, secrets }) }
    const {
      status,
      headers: answered,
      text,
    } = await asking.run({ workspaceId }, () =>
      ctx.http.post(webhook.url, { headers, body }, signal),
    )
    const { location } = answered
    const wait = retryAfterMs(answered['retry-after'], ctx.now().getTime())
    return readAnswer({ status, text, location, retryAfterMs: wait })
  } catch (error) {
    if (signal.aborted) throw error
    // A fault of the server, its name, the network or the stored secret: the message is tried again.
    const text = error instanceof Error ? error.message : String(error)
    return { outcome: 'Deferred', answer: shortenLine(text) }
  }
}
