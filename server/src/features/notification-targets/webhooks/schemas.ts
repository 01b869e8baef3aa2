import { Type } from 'typebox'
import { TARGET_STATES } from '../store.ts'
import { Replacing } from '../../../platform/http/read-only.ts'
import { WEBHOOK_FORMATS } from './store.ts'
import { Exactly, Name, Nullable, Shape, Timestamp } from '../../../platform/http/schemas.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'An https URL of a public address. The operator may allow other hosts, and http to them (PLIMSOLL_WEBHOOK_ALLOWED_HOSTS)',
  examples: ['https://hooks.example.com/plimsoll'],
})
const State = Type.Enum([...TARGET_STATES])
const Format = Type.Enum([...WEBHOOK_FORMATS], {
  description:
    'What its server reads: the messages of docs/guide/webhooks.md, or those of a chat. One that is left out stays, and is Plimsoll at first',
})
const Secret = Type.String({
  description: 'Signs the messages. It is shown this once only',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7LIfcjoV3oo='],
})

export const CreateWebhookCommand = Exactly(
  { name: Name, url: Url, state: Type.Optional(State), format: Type.Optional(Format) },
  { examples: [{ name: 'Chat', url: 'https://hooks.example.com/plimsoll' }] },
)

const UpdateCommand = Exactly(
  { name: Name, url: Url, state: State, format: Type.Optional(Format) },
  { examples: [{ name: 'Chat', url: 'https://hooks.example.com/alerts', state: 'Enabled' }] },
)

const fields = {
  id: Type.String(),
  name: Name,
  url: Type.String(),
  state: State,
  format: Format,
  alertRuleCount: Type.Integer({ description: 'How many alert rules name it' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  formerSecretUntil: Nullable(Timestamp, {
    description: 'Until then, messages are signed with the former secret too',
  }),
  lastDeliveredAt: Nullable(Timestamp),
  lastAnswer: Nullable(Type.String(), {
    description: 'Status and beginning of the last answer, or the error that prevented one',
    examples: ['HTTP 500: Internal Server Error'],
  }),
  lastAnswerAt: Nullable(Timestamp),
  failingSince: Nullable(Timestamp, { description: 'Since then, no message was accepted' }),
}

export const Webhook = Shape('Webhook', fields)
export const UpdateWebhookCommand = Replacing(UpdateCommand, Webhook)
export const CreatedWebhook = Shape('CreatedWebhook', { ...fields, secret: Secret })
export const WebhookList = Shape('WebhookList', { webhooks: Type.Array(Webhook) })
export const RotatedSecret = Shape('RotatedSecret', {
  secret: Secret,
  formerSecretUntil: Timestamp,
})
export const WebhookTest = Shape('WebhookTest', {
  notificationId: Type.String({ description: 'Also the webhook-id of the message' }),
})
