import { Type } from 'typebox'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../platform/http/schemas.ts'
import {
  ATTEMPT_OUTCOMES,
  NOTICE_EVENTS,
  NOTIFICATION_KINDS,
  NOTIFICATION_STATES,
} from './notification.ts'

const Id = Type.String({ maxLength: 200 })

export const ListNotificationsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      Exactly({
        states: Type.Optional(
          Type.Array(Type.Enum([...NOTIFICATION_STATES]), {
            maxItems: NOTIFICATION_STATES.length,
            description: 'Any of them',
          }),
        ),
        notificationTargetId: Type.Optional(Id),
        webhookId: Type.Optional(Id),
        incidentId: Type.Optional(Id),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { states: ['Pending', 'Failed'] } }] },
)

const Recipient = Type.Object({
  type: Type.Enum(['Email', 'Webhook']),
  emailAddress: Nullable(Type.String()),
  notificationTargetId: Nullable(Type.String(), {
    description: 'Of several targets with the address, the one that was to be told first',
  }),
  webhookId: Nullable(Type.String()),
  name: Nullable(Type.String(), {
    description: 'Of the target or the webhook; null: it is gone',
  }),
})

const Notification = Type.Object({
  id: Type.String({ description: 'A webhook gets it as webhook-id' }),
  kind: Type.Enum([...NOTIFICATION_KINDS]),
  event: Type.Enum([...NOTICE_EVENTS]),
  title: Type.String(),
  incidentId: Nullable(Type.String()),
  recipient: Recipient,
  state: Type.Enum([...NOTIFICATION_STATES]),
  createdAt: Timestamp,
  dueAt: Type.String({
    format: 'date-time',
    description: 'It is not sent before: quiet hours, a digest, or the wait after an attempt',
  }),
  finishedAt: Nullable(Timestamp, { description: 'null while it is pending' }),
  attempts: Type.Integer(),
  answer: Nullable(Type.String(), {
    description: 'To the last attempt, or why it was dropped',
  }),
  messageId: Nullable(Type.String(), {
    description: 'Of the mail it left with: what stands before the @ of its Message-ID',
  }),
})

export const NotificationPage = Type.Object({
  notifications: Type.Array(Notification),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const DeliveryAttemptList = Type.Object({
  attempts: Type.Array(
    Type.Object({
      id: Type.String(),
      messageId: Type.String(),
      attempt: Type.Integer({ description: '1: the first' }),
      notificationCount: Type.Integer({ description: 'Notifications of the message' }),
      beganAt: Timestamp,
      endedAt: Timestamp,
      outcome: Type.Enum([...ATTEMPT_OUTCOMES], {
        description: 'Deferred: it is tried again',
      }),
      answer: Type.String({ description: 'Of the server, or what went wrong on the way' }),
    }),
    { description: 'Oldest first' },
  ),
})
