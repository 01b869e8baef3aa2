import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { IncidentAssignmentToSend, sendIncidentAssignment } from './handling/mails-service.ts'
import { FindingOwnerMail, sendFindingOwnerMail } from './owner-mails/service.ts'

export const incidentMessages = [IncidentAssignmentToSend, FindingOwnerMail]

export const incidentJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(IncidentAssignmentToSend, sendIncidentAssignment),
  subscribeTo(FindingOwnerMail, sendFindingOwnerMail),
]
