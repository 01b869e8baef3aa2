/** Reports of vulnerabilities from outside: the public page, the conversation, and what becomes of them (decision 104). */
export { listReportDeadlines } from './deadlines-service.ts'
export { disclosureReportJobs, startDisclosureReportMails } from './mails-service.ts'
export { disclosureReportProblems } from './problems.ts'
export { registerDisclosureIntake } from './public-routes.ts'
export { DisclosureReportMail } from './schemas.ts'
export { registerDisclosureReportRoutes } from './routes.ts'
export { getReport } from './service.ts'
