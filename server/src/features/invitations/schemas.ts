import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { ROLES } from '../auth/index.ts'

const Role = OneOf('Role', ROLES)

export const InviteCommand = Exactly(
  {
    email: Type.String({ minLength: 3, maxLength: 320 }),
    role: Role,
    send: Type.Optional(
      Type.Boolean({ default: false, description: 'Send the link by mail as well' }),
    ),
  },
  { examples: [{ email: 'grace@example.com', role: 'Engineer', send: false }] },
)

const fields = {
  id: Type.String(),
  email: Type.String(),
  role: Role,
  state: Type.Enum(['Open', 'Expired']),
  invitedByEmail: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  sentAt: Nullable(Timestamp, { description: 'When the last mail with a link was sent' }),
}

export const Invitations = Type.Array(Shape('Invitation', fields))

export const InvitationWithLink = Shape('InvitationWithLink', {
  ...fields,
  link: Type.String({
    description: 'To copy: it is shown this once. It works once, and for seven days',
    examples: ['https://plimsoll.example.com/link#3q2…'],
  }),
})

/** The invitation goes to its person by mail, with a link of its own. */
export const InvitationToSend = defineMessage(
  'invitations.to-send',
  Type.Object({ workspaceId: Type.String(), invitationId: Type.String() }),
)
