import type { AppContext } from '../../platform/context.ts'
import { type Message, subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { InvitationToSend } from './schemas.ts'
import { sendInvitation } from './service.ts'

export const invitationMessages: readonly Message[] = [InvitationToSend]

export const invitationJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(InvitationToSend, sendInvitation),
]
