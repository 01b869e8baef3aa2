import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
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
      ExactShape('NotificationFilter', {
        states: Type.Optional(
          Type.Array(OneOf('NotificationState', NOTIFICATION_STATES), {
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

const Recipient = Shape('Recipient', {
  type: Type.Enum(['Email', 'Webhook']),
  emailAddress: Nullable(Type.String()),
  notificationTargetId: Nullable(Type.String(), {
    description: 'Of several targets with the address, the one that was due first',
  }),
  webhookId: Nullable(Type.String()),
  name: Nullable(Type.String(), {
    description: 'The name of the target or the webhook; null: it was deleted',
  }),
})

export const Notification = Shape('Notification', {
  id: Type.String({ description: 'Sent to webhooks as webhook-id' }),
  kind: Type.Enum([...NOTIFICATION_KINDS]),
  event: Type.Enum([...NOTICE_EVENTS]),
  title: Type.String(),
  incidentId: Nullable(Type.String()),
  recipient: Recipient,
  state: OneOf('NotificationState', NOTIFICATION_STATES),
  createdAt: Timestamp,
  dueAt: {
    ...Timestamp,
    description:
      'The earliest time of the next attempt, after quiet hours, a digest interval or the wait between attempts',
  },
  finishedAt: Nullable(Timestamp, { description: 'null while the state is Pending' }),
  attempts: Type.Integer(),
  answer: Nullable(Type.String(), {
    description: 'The answer to the last attempt, or why the notification was dropped',
  }),
  messageId: Nullable(Type.String(), {
    description: 'The part of the Message-ID of its mail before the @',
  }),
})

export const NotificationPage = Shape('NotificationPage', {
  notifications: Type.Array(Notification),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const DeliveryAttemptList = Shape('DeliveryAttemptList', {
  attempts: Type.Array(
    Shape('DeliveryAttempt', {
      id: Type.String(),
      messageId: Type.String(),
      attempt: Type.Integer({ description: 'The number of the attempt; the first is 1' }),
      notificationCount: Type.Integer({ description: 'How many notifications the message held' }),
      beganAt: Timestamp,
      endedAt: Timestamp,
      outcome: Type.Enum([...ATTEMPT_OUTCOMES], {
        description: 'Deferred: another attempt follows',
      }),
      answer: Type.String({
        description: 'The answer of the server, or the error that prevented one',
      }),
    }),
    { description: 'Oldest first' },
  ),
})
