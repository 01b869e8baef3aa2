import { Type } from 'typebox'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { WEEKDAYS } from '../notifications/index.ts'

const WeeklyMail = Shape('WeeklyMail', {
  day: OneOf('Weekday', WEEKDAYS),
  at: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['08:00'] }),
  timeZone: Type.String({ maxLength: 100, examples: ['Europe/Berlin'] }),
})

export const MyWorkspaceNotifications = Shape('MyWorkspaceNotifications', {
  workspaceId: Type.String(),
  workspaceName: Type.String(),
  weeklyMail: Nullable(WeeklyMail, { description: 'null: you get none' }),
  proposalMails: Type.Boolean({
    description:
      'Whether you are told of proposals that wait for a decision, where you may decide; at most once a day',
  }),
  nextAt: Nullable(Timestamp, { description: 'When the next weekly mail is sent' }),
  lastSentAt: Nullable(Timestamp),
  lastAnswer: Nullable(Type.String(), {
    description: 'What the mail server answered last, also to an attempt that failed',
  }),
})

export const MyNotifications = Shape('MyNotifications', {
  email: Type.String({ description: 'Where mails are sent' }),
  mail: Type.Boolean({ description: 'Whether the service has a mail server' }),
  workspaces: Type.Array(MyWorkspaceNotifications),
})

export const ChangeMyNotificationsCommand = Exactly(
  {
    weeklyMail: Nullable(Exactly(WeeklyMail.properties)),
    proposalMails: Type.Optional(
      Type.Boolean({
        description: 'Whether to be told of proposals that wait. Left out: as it is',
      }),
    ),
  },
  { examples: [{ weeklyMail: { day: 'Mon', at: '08:00', timeZone: 'Europe/Berlin' } }] },
)

export const MyWorkspaceParams = Type.Object({ workspaceId: Type.String({ format: 'uuid' }) })
