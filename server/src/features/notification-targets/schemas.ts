import { Type } from 'typebox'
import { Exactly, Nullable, Timestamp } from '../../platform/http/schemas.ts'
import { ADDRESS_STATES } from './addresses/address-state.ts'
import { DAILY_AT, DAILY_IN, DIGEST_INTERVALS, WEEKDAYS } from '../notifications/index.ts'

const TARGET_TYPES = ['Email'] as const
const TARGET_STATES = ['Enabled', 'Disabled'] as const

const MOST_ADDRESSES = 50
const MOST_CHARACTERS = 320

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'] })
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Of the IANA database',
  examples: ['Europe/Berlin'],
})

const QuietHours = Exactly(
  {
    timeZone: TimeZone,
    from: TimeOfDay,
    to: TimeOfDay,
    days: Type.Optional(
      Type.Array(Type.Enum([...WEEKDAYS]), {
        minItems: 1,
        maxItems: WEEKDAYS.length,
        uniqueItems: true,
        description: 'On which they begin; left out: every day',
      }),
    ),
  },
  {
    description:
      'Nothing is sent from the one time to the other, over midnight when `to` is the earlier; one mail afterwards tells it all',
  },
)

const Digest = Exactly(
  {
    every: Type.Enum([...DIGEST_INTERVALS]),
    at: Type.Optional(TimeOfDay),
    timeZone: Type.Optional(TimeZone),
  },
  {
    description: `What happens is collected and sent as one mail: every full hour, or every day \`at\` a time (${DAILY_AT}) of a time zone (${DAILY_IN})`,
  },
)

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const quietHours = Nullable(QuietHours, { description: 'null: mail goes out at any time' })
const digest = Nullable(Digest, { description: 'null: mail goes out at once' })

export const WriteTargetCommand = Exactly(
  {
    name: Name,
    type: Type.Enum([...TARGET_TYPES]),
    state: Type.Enum([...TARGET_STATES]),
    emailAddresses: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: MOST_CHARACTERS }), { maxItems: MOST_ADDRESSES }),
        { description: 'Each is asked by mail and told of alerts once it has agreed' },
      ),
    ),
    quietHours: Type.Optional(quietHours),
    digest: Type.Optional(digest),
  },
  {
    description:
      'It is all there is: no addresses, quiet hours or digest where they are left out or null',
    examples: [
      {
        name: 'On call',
        type: 'Email',
        state: 'Enabled',
        emailAddresses: ['oncall@example.com'],
        quietHours: { timeZone: 'Europe/Berlin', from: '22:00', to: '06:00' },
      },
    ],
  },
)

const TargetAddress = Type.Object({
  emailAddress: Type.String(),
  state: Type.Enum([...ADDRESS_STATES], {
    description:
      'Confirmed: it is told of alerts. Pending: it has yet to agree. Unsubscribed: its reader wants no more. Dead: its server refused it for good',
  }),
  confirmedAt: Nullable(Timestamp),
  lastDeliveredAt: Nullable(Timestamp),
  lastAnswer: Nullable(Type.String(), { description: 'Of its mail server' }),
  lastAnswerAt: Nullable(Timestamp),
})

export const NotificationTarget = Type.Object({
  id: Type.String(),
  name: Name,
  type: Type.Enum([...TARGET_TYPES]),
  state: Type.Enum([...TARGET_STATES]),
  emailAddresses: Nullable(Type.Array(Type.String())),
  alertRuleCount: Type.Integer({ description: 'Rules that name it' }),
  addresses: Type.Array(TargetAddress),
  quietHours,
  digest,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const NotificationTargetList = Type.Object({
  notificationTargets: Type.Array(NotificationTarget),
})

export const AskAgainCommand = Exactly(
  { emailAddress: Type.String({ maxLength: MOST_CHARACTERS }) },
  { examples: [{ emailAddress: 'oncall@example.com' }] },
)

export const TestSent = Type.Object({
  emailAddresses: Type.Array(Type.String(), { description: 'Those a mail is on its way to' }),
})
