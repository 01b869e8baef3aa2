import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface DeliveredWebhook {
  id: string
  url: string
  secret: Buffer
  formerSecret: Buffer | null
  formerSecretUntil: Date | null
}

/** undefined: it was deleted or disabled. */
export async function findEnabledWebhook(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<DeliveredWebhook | undefined> {
  return db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret', 'formerSecret', 'formerSecretUntil'])
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
  await sql`
    update webhooks set last_answer = ${answer}, last_answer_at = ${at},
      last_delivered_at = case when ${isDelivered}::boolean then ${at} else last_delivered_at end,
      failing_since = case when not ${isDelivered}::boolean then coalesce(failing_since, ${at}) end
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}
