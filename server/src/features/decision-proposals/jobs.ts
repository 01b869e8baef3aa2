import { subscribeTo } from '../../platform/jobs/queue.ts'
import { sendProposalMail } from './mails-service.ts'
import { ProposalMail } from './schemas.ts'

export const proposalJobs = [subscribeTo(ProposalMail, sendProposalMail)]
