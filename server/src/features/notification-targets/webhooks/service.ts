import { addDays } from '../../../formats/instants.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import type { Precondition } from '../../../platform/http/editing.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { notifyRecipient } from '../../notifications/index.ts'
import {
  createSecret,
  decryptWebhookSecrets,
  encryptWebhookSecret,
  formatSecret,
} from './secrets.ts'
import type { TargetState } from '../store.ts'
import * as store from './store.ts'

interface Change {
  workspaceId: string
  actor: Actor
}

interface ChangeOne extends Change {
  webhookId: string
}

const SYSTEM: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

const MOST_WEBHOOKS = 100
const NEVER_ROTATED = { formerSecret: null, formerSecretUntil: null }

export async function listWebhooks(ctx: Pick<AppContext, 'db' | 'now'>, workspaceId: string) {
  return store.listWebhooks(ctx.db, workspaceId, ctx.now())
}

export async function getWebhook(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
  db: Db = ctx.db,
) {
  const webhook = isUuid(webhookId)
    ? await store.findWebhook(db, workspaceId, { id: webhookId, now: ctx.now() })
    : undefined
  if (!webhook) throw notFound('webhook', webhookId)
  return webhook
}

interface CreateWebhook extends Change {
  name: string
  url: string
  state?: TargetState
  format?: store.WebhookFormat
}

/** The answer holds the secret, which is never shown again. */
export async function createWebhook(ctx: AppContext, input: CreateWebhook) {
  const { workspaceId, actor, state = 'Enabled', format = 'Plimsoll' } = input
  const url = await checkedUrl(ctx, input.url)
  const fields = { name: readName(input.name), url, state, format }
  const id = newId()
  const secret = createSecret()
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockAdding(tx, workspaceId)
    if ((await store.countWebhooks(tx, workspaceId)) >= MOST_WEBHOOKS)
      throw new AppError(
        'conflict',
        'too-many-webhooks',
        `A workspace has at most ${MOST_WEBHOOKS} webhooks.`,
      )
    const row = { workspaceId, id, ...fields, createdAt: ctx.now() }
    const stored = encryptWebhookSecret(ctx.config.encryptionKeys, row, { secret })
    await store.insertWebhook(tx, { ...row, secret: stored })
    const entry = { ...resource(workspaceId, id), actor, action: 'webhook.create' as const }
    await recordAudit(ctx, tx, { ...entry, after: fields })
    const webhook = await getWebhook(ctx, { workspaceId, webhookId: id }, tx)
    return { ...webhook, secret: formatSecret(secret) }
  })
}

interface UpdateWebhook extends ChangeOne, Omit<store.WebhookFields, 'format'> {
  /** Left out: it stays. */
  format?: store.WebhookFormat
  precondition?: Precondition | undefined
}

export async function updateWebhook(ctx: AppContext, input: UpdateWebhook) {
  const { workspaceId, actor, webhookId, state } = input
  const known = await getWebhook(ctx, input)
  const name = readName(input.name)
  // An unchanged URL is not checked: a webhook whose host became private can still be disabled.
  const url = input.url === known.url ? known.url : await checkedUrl(ctx, input.url)
  return ctx.db.transaction().execute(async (tx) => {
    const { id, ...before } = await lockWebhook(tx, input)
    input.precondition?.(before)
    const after = { name, url, state, format: input.format ?? before.format }
    await store.updateWebhook(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
    const entry = { ...resource(workspaceId, id), actor, action: 'webhook.update' as const }
    await recordAudit(ctx, tx, { ...entry, before: shown(before), after })
    return getWebhook(ctx, { workspaceId, webhookId }, tx)
  })
}

export async function deleteWebhook(ctx: AppContext, input: ChangeOne): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    const { id, ...before } = await lockWebhook(tx, input)
    await store.deleteWebhook(tx, workspaceId, id)
    const entry = { ...resource(workspaceId, id), actor, action: 'webhook.delete' as const }
    await recordAudit(ctx, tx, { ...entry, before: shown(before) })
  })
}

/** Messages carry signatures of both secrets for a day, so that receivers can change over without a gap. */
export async function rotateWebhookSecret(ctx: AppContext, input: ChangeOne) {
  const { workspaceId, actor } = input
  const { encryptionKeys: keys } = ctx.config
  const secret = createSecret()
  return ctx.db.transaction().execute(async (tx) => {
    const { id, secret: stored } = await lockWebhook(tx, input)
    const updatedAt = ctx.now()
    const formerSecretUntil = addDays(updatedAt, 1)
    const webhook = { workspaceId, id }
    const { secret: former } = decryptWebhookSecrets(keys, {
      ...webhook,
      ...NEVER_ROTATED,
      secret: stored,
    })
    await store.rotateSecret(tx, {
      ...webhook,
      secret: encryptWebhookSecret(keys, webhook, { secret }),
      formerSecret: encryptWebhookSecret(keys, webhook, {
        column: 'former_secret',
        secret: former,
      }),
      formerSecretUntil,
      updatedAt,
    })
    const entry = { ...resource(workspaceId, id), actor, action: 'webhook.rotate-secret' as const }
    await recordAudit(ctx, tx, { ...entry, after: { formerSecretUntil } })
    return { secret: formatSecret(secret), formerSecretUntil }
  })
}

/** The test message goes through the outbox, as alerts do. */
export async function testWebhook(ctx: AppContext, input: ChangeOne) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const { id, name, state } = await lockWebhook(tx, input)
    if (state !== 'Enabled')
      throw new AppError(
        'conflict',
        'webhook-disabled',
        'The webhook is disabled, so nothing is sent to it.',
      )
    const asked = {
      kind: 'Test' as const,
      recipient: { webhookId: id },
      name,
      askedBy: actor.email,
    }
    const notificationId = await notifyRecipient(ctx, tx, { workspaceId, ...asked })
    const entry = { ...resource(workspaceId, id), actor, action: 'webhook.test' as const }
    await recordAudit(ctx, tx, { ...entry, after: { notificationId } })
    return { notificationId }
  })
}

/** A webhook whose server answers that it is gone is disabled, unless somebody has changed it meanwhile. */
export async function disableWebhook(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, webhook }: { workspaceId: string; webhook: { id: string; url: string } },
): Promise<void> {
  const known = await store.lockWebhook(tx, workspaceId, webhook.id)
  if (known?.state !== 'Enabled' || known.url !== webhook.url) return
  const { id, name, url, format } = known
  const after = { name, url, state: 'Disabled' as const, format }
  await store.updateWebhook(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
  const entry = { ...resource(workspaceId, id), actor: SYSTEM, action: 'webhook.update' as const }
  await recordAudit(ctx, tx, { ...entry, before: shown(known), after })
}

async function lockWebhook(
  tx: Tx,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
) {
  const webhook = isUuid(webhookId)
    ? await store.lockWebhook(tx, workspaceId, webhookId)
    : undefined
  if (!webhook) throw notFound('webhook', webhookId)
  return webhook
}

function shown({ name, url, state, format }: store.WebhookFields): store.WebhookFields {
  return { name, url, state, format }
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'webhook', resourceId }
}

/** Each delivery checks the host again, because a name may resolve to another address later. */
async function checkedUrl({ http }: Pick<AppContext, 'http'>, text: string): Promise<string> {
  const parsed = parseWebhookUrl(text)
  if ('fault' in parsed) throw invalid(parsed.fault, '/url')
  const refusal = await http.refusalOf(parsed.url)
  if (refusal !== undefined) throw invalid(refusal, '/url')
  return parsed.url
}

type ParsedUrl = { url: string } | { fault: string }

const MOST_CHARACTERS = 2048

/** The normalised URL: addresses written as one number, in octal or in hexadecimal become dotted. */
export function parseWebhookUrl(text: string): ParsedUrl {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { fault: 'The URL must begin with https:// (or http:// where the operator allows it).' }
  // Everybody who may read the webhook would see them. Signatures prove the sender instead.
  if (url.username !== '' || url.password !== '')
    return { fault: 'The URL must not hold a user name or password.' }
  if (text.includes('#'))
    return { fault: 'The URL must not have a fragment (#…): it is never sent to a server.' }
  if (url.href.length > MOST_CHARACTERS)
    return { fault: `The URL is longer than ${MOST_CHARACTERS} characters.` }
  return { url: url.href }
}
