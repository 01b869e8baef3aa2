import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { TargetState } from '../store.ts'

export const WEBHOOK_FORMATS = ['Plimsoll', 'Slack', 'Teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export interface WebhookFields {
  name: string
  url: string
  state: TargetState
  format: WebhookFormat
}

export interface WebhookRow extends WebhookFields {
  id: string
  alertRuleCount: number
  createdAt: Date
  updatedAt: Date
  formerSecretUntil: Date | null
  lastDeliveredAt: Date | null
  lastAnswer: string | null
  lastAnswerAt: Date | null
  failingSince: Date | null
}

function selectWebhooks(db: Db, workspaceId: string, now: Date) {
  return db
    .selectFrom('webhooks as webhook')
    .select(['webhook.id', 'webhook.name', 'webhook.url', 'webhook.state'])
    .select(['webhook.createdAt', 'webhook.updatedAt'])
    .select(sql<WebhookFormat>`webhook.format`.as('format'))
    .select(
      sql<Date | null>`
        case when webhook.former_secret_until > ${now} then webhook.former_secret_until end
      `.as('formerSecretUntil'),
    )
    .select(['webhook.lastDeliveredAt', 'webhook.lastAnswer', 'webhook.lastAnswerAt'])
    .select('webhook.failingSince')
    .select(
      sql<number>`(
        select count(distinct target.rule_id)::int from alert_rule_targets as target
        where target.workspace_id = ${workspaceId} and target.webhook_id = webhook.id
      )`.as('alertRuleCount'),
    )
    .where('webhook.workspaceId', '=', workspaceId)
}

export async function listWebhooks(db: Db, workspaceId: string, now: Date): Promise<WebhookRow[]> {
  return selectWebhooks(db, workspaceId, now)
    .orderBy('webhook.createdAt')
    .orderBy('webhook.id')
    .execute()
}

export async function findWebhook(
  db: Db,
  workspaceId: string,
  { id, now }: { id: string; now: Date },
): Promise<WebhookRow | undefined> {
  return selectWebhooks(db, workspaceId, now).where('webhook.id', '=', id).executeTakeFirst()
}

/** Serialises additions, so that two at once do not exceed the limit. */
export async function lockAdding(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('webhooks'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

export async function countWebhooks(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertWebhook(
  tx: Tx,
  row: WebhookFields & { workspaceId: string; id: string; secret: Buffer; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('webhooks')
    .values({ ...row, updatedAt: row.createdAt })
    .execute()
}

export async function lockWebhook(tx: Tx, workspaceId: string, id: string) {
  return tx
    .selectFrom('webhooks')
    .select(['id', 'name', 'url', 'state', 'secret'])
    .select(sql<WebhookFormat>`format`.as('format'))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** A webhook with another URL, or that was just enabled, has not failed yet. */
export async function updateWebhook(
  tx: Tx,
  row: WebhookFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await tx
    .updateTable('webhooks')
    .set({
      ...fields,
      failingSince: sql<Date | null>`
        case when url = ${fields.url} and state = ${fields.state} then failing_since end`,
    })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Also removes the webhook from the alert rules that name it, by a foreign key. */
export async function deleteWebhook(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('webhooks')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export interface RotatedSecret {
  workspaceId: string
  id: string
  secret: Buffer
  formerSecret: Buffer
  formerSecretUntil: Date
  updatedAt: Date
}

export async function rotateSecret(tx: Tx, { workspaceId, id, ...set }: RotatedSecret) {
  await tx
    .updateTable('webhooks')
    .set(set)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export interface SigningWebhook {
  id: string
  url: string
  format: WebhookFormat
  secret: Buffer
  formerSecret: Buffer | null
  formerSecretUntil: Date | null
}

/** The webhook; undefined when it was deleted or disabled. */
export async function findEnabledWebhook(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<SigningWebhook | undefined> {
  return db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret', 'formerSecret', 'formerSecretUntil'])
    .select(sql<WebhookFormat>`format`.as('format'))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'Enabled')
    .executeTakeFirst()
}

export interface AnsweredWebhook {
  workspaceId: string
  id: string
  isDelivered: boolean
  answer: string
  at: Date
}

export async function recordWebhookAnswer(db: Db, answered: AnsweredWebhook): Promise<void> {
  const { workspaceId, id, isDelivered, answer, at } = answered
  await db
    .updateTable('webhooks')
    .set({
      lastAnswer: answer,
      lastAnswerAt: at,
      ...(isDelivered
        ? { lastDeliveredAt: at, failingSince: null }
        : { failingSince: sql<Date>`coalesce(failing_since, ${at})` }),
    })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
