import type { AppContext } from '../../platform/context.ts'
import { type Message, on, type Subscription } from '../../platform/jobs/queue.ts'
import { InvitationToSend } from './schemas.ts'
import { sendInvitation } from './service.ts'

export const invitationMessages: readonly Message[] = [InvitationToSend]

export const invitationJobs: readonly Subscription<AppContext>[] = [
  on(InvitationToSend, sendInvitation),
]
