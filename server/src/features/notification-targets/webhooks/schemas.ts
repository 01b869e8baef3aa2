import { Type } from 'typebox'
import { Exactly, Nullable, Timestamp } from '../../../platform/http/schemas.ts'

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'https, to a public address; others, and http, only where the operator allows them (PLIMSOLL_WEBHOOK_ALLOWED_HOSTS)',
  examples: ['https://hooks.example.com/plimsoll'],
})
const State = Type.Enum(['Enabled', 'Disabled'])
const Secret = Type.String({
  description: 'Shown now and never again; messages are signed with it',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7LIfcjoV3oo='],
})

export const CreateWebhookCommand = Exactly(
  { name: Name, url: Url, state: Type.Optional(State) },
  { examples: [{ name: 'Chat', url: 'https://hooks.example.com/plimsoll' }] },
)

export const UpdateWebhookCommand = Exactly(
  { name: Name, url: Url, state: State },
  { examples: [{ name: 'Chat', url: 'https://hooks.example.com/alerts', state: 'Enabled' }] },
)

const fields = {
  id: Type.String(),
  name: Name,
  url: Type.String(),
  state: State,
  alertRuleCount: Type.Integer({ description: 'Rules that name it' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  formerSecretUntil: Nullable(Timestamp, {
    description: 'Until then messages are signed with the former secret too',
  }),
  lastDeliveredAt: Nullable(Timestamp),
  lastAnswer: Nullable(Type.String(), {
    description: 'Status and beginning of the last answer, or why there was none',
    examples: ['HTTP 500: Internal Server Error'],
  }),
  lastAnswerAt: Nullable(Timestamp),
  failingSince: Nullable(Timestamp, { description: 'No message was taken since' }),
}

export const Webhook = Type.Object(fields)
export const CreatedWebhook = Type.Object({ ...fields, secret: Secret })
export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) })
export const RotatedSecret = Type.Object({ secret: Secret, formerSecretUntil: Timestamp })
export const WebhookTest = Type.Object({
  notificationId: Type.String({ description: 'Also the webhook-id of the message' }),
})
