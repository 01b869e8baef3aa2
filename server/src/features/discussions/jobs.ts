import type { AppContext } from '../../platform/context.ts'
import { type Message, subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { sendAssignment, sendMention } from './mails-service.ts'
import { AssignmentToSend, MentionToSend } from './schemas.ts'

export const discussionMessages: readonly Message[] = [MentionToSend, AssignmentToSend]

export const discussionJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(MentionToSend, sendMention),
  subscribeTo(AssignmentToSend, sendAssignment),
]
