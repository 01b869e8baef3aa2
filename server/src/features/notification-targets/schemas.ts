import { Type } from 'typebox'
import { TARGET_STATES } from './store.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { ADDRESS_STATES } from './addresses/address-state.ts'
import { DAILY_AT, DAILY_IN, DIGEST_INTERVALS, WEEKDAYS } from '../notifications/index.ts'

const TARGET_TYPES = ['Email'] as const

const MOST_ADDRESSES = 50
const MOST_CHARACTERS = 320

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'] })
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A name of the IANA database',
  examples: ['Europe/Berlin'],
})

const QuietHours = ExactShape(
  'QuietHours',
  {
    timeZone: TimeZone,
    from: TimeOfDay,
    to: TimeOfDay,
    days: Type.Optional(
      Type.Array(OneOf('Weekday', WEEKDAYS), {
        minItems: 1,
        maxItems: WEEKDAYS.length,
        uniqueItems: true,
        description: 'The days on which they begin; every day when left out',
      }),
    ),
  },
  {
    description:
      'No mail is sent between the two times. They span midnight when `to` is earlier than `from`. One mail afterwards holds everything',
  },
)

const Digest = ExactShape(
  'Digest',
  {
    every: OneOf('DigestInterval', DIGEST_INTERVALS),
    at: Type.Optional(TimeOfDay),
    timeZone: Type.Optional(TimeZone),
  },
  {
    description: `Alerts are collected and sent as one mail: at every full hour, or every day \`at\` a time (default ${DAILY_AT}) in a time zone (default ${DAILY_IN})`,
  },
)

const quietHours = Nullable(QuietHours, { description: 'null: mail is sent at any time' })
const digest = Nullable(Digest, { description: 'null: mail is sent at once' })

export const WriteTargetCommand = Exactly(
  {
    name: Name,
    type: Type.Enum([...TARGET_TYPES]),
    state: Type.Enum([...TARGET_STATES]),
    emailAddresses: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: MOST_CHARACTERS }), { maxItems: MOST_ADDRESSES }),
        {
          description:
            'The reader of each is asked by mail to confirm it. Alerts are sent to confirmed addresses only',
        },
      ),
    ),
    quietHours: Type.Optional(quietHours),
    digest: Type.Optional(digest),
  },
  {
    description:
      'Replaces the whole target: addresses, quiet hours and digest that are left out or null are removed',
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

const TargetAddress = Shape('TargetAddress', {
  emailAddress: Type.String(),
  state: Type.Enum([...ADDRESS_STATES], {
    description:
      'Confirmed: alerts are sent to it. Pending: its reader has not confirmed it yet. Unsubscribed: its reader wants no mail. Dead: its mail server refused it permanently',
  }),
  confirmedAt: Nullable(Timestamp),
  lastDeliveredAt: Nullable(Timestamp),
  lastAnswer: Nullable(Type.String(), { description: 'The last answer of its mail server' }),
  lastAnswerAt: Nullable(Timestamp),
})

export const NotificationTarget = Shape('NotificationTarget', {
  id: Type.String(),
  name: Name,
  type: Type.Enum([...TARGET_TYPES]),
  state: Type.Enum([...TARGET_STATES]),
  emailAddresses: Nullable(Type.Array(Type.String())),
  alertRuleCount: Type.Integer({ description: 'How many alert rules name it' }),
  addresses: Type.Array(TargetAddress),
  quietHours,
  digest,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const ReplaceTargetCommand = Replacing(WriteTargetCommand, NotificationTarget)

export const NotificationTargetList = Shape('NotificationTargetList', {
  notificationTargets: Type.Array(NotificationTarget),
})

export const AskAgainCommand = Exactly(
  { emailAddress: Type.String({ maxLength: MOST_CHARACTERS }) },
  { examples: [{ emailAddress: 'oncall@example.com' }] },
)

export const TestSent = Shape('NotificationTargetTest', {
  emailAddresses: Type.Array(Type.String(), { description: 'The addresses that get a mail' }),
})
