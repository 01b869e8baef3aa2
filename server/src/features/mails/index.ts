export { readMailUsage, reportMailHealth } from './health.ts'
export { mailProblems } from './problems.ts'
export {
  createMessageId,
  readMailDomain,
  requireMails,
  requireMailServer,
  sendMail,
  sweepMailCounts,
  takeMails,
} from './service.ts'
