import { Type } from 'typebox'
import { Replacing } from '../../../platform/http/read-only.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../../platform/http/schemas.ts'
import { MAIL_STATES, REASON_KINDS } from './recipients.ts'

const MOST_CONTACTS = 50
const contacts = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  maxItems: MOST_CONTACTS,
  description:
    'E-mail addresses that get one mail for each revision about versions which devices of the cohort run',
})

export const CohortContacts = Shape('CohortContacts', {
  contacts,
  unwanted: Type.Array(Type.String(), {
    description: 'Those of them that asked for no more mails: they get none',
  }),
  updatedAt: Nullable(Timestamp),
})

export const UpdateCohortContactsCommand = Replacing(
  Exactly({ contacts }, { examples: [{ contacts: ['security@customer.example'] }] }),
  CohortContacts,
)

export const ResubscribeCommand = Exactly(
  {
    address: Type.String({ minLength: 1, maxLength: 254 }),
    reason: Type.String({
      minLength: 1,
      maxLength: 4_000,
      pattern: '\\S',
      description: 'How whoever has the address asked for it',
    }),
  },
  { examples: [{ address: 'security@customer.example', reason: 'Asked for it by phone.' }] },
)

export const ResubscribedContact = Shape('ResubscribedContact', {
  address: Type.String({ description: 'In lower case' }),
})

const reasons = Type.Array(
  Shape('AdvisoryRecipientReason', {
    kind: OneOf('AdvisoryRecipientKind', REASON_KINDS),
    id: Nullable(Type.String()),
    name: Nullable(Type.String()),
  }),
  { description: 'Why this address is told' },
)

export const AdvisoryRecipients = Shape('AdvisoryRecipients', {
  sendsMail: Type.Boolean({
    description: 'false: the service has no mail server, and tells nobody',
  }),
  recipients: Type.Array(
    Shape('AdvisoryRecipient', {
      address: Type.String(),
      reasons,
      isUnwanted: Type.Boolean({ description: 'It asked for no more mails, and gets none' }),
    }),
  ),
})

export const AdvisoryMailList = Shape('AdvisoryMailList', {
  mails: Type.Array(
    Shape('AdvisoryMail', {
      number: Type.Integer({ description: 'Of the revision' }),
      address: Type.String(),
      reasons,
      state: OneOf('AdvisoryMailState', MAIL_STATES),
      attempts: Type.Integer(),
      answer: Nullable(Type.String(), { description: 'What the mail server said last' }),
      endedAt: Nullable(Timestamp),
    }),
    { description: 'The newest revision first; 5,000 at most' },
  ),
  hasMore: Type.Boolean(),
})
