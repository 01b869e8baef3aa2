/** Advisories of the workspace about its own products, and the public path on which others read them (decision 99). */
export { securityAdvisoryProblems } from './problems.ts'
export { registerAdvisoryMailPages } from './mails/unsubscribe-routes.ts'
export { startAdvisoryMails } from './mails/delivery-service.ts'
export { registerPublicAdvisoryRoutes } from './public-routes.ts'
export { registerSecurityAdvisoryRoutes } from './routes.ts'
export { listSecurityTextDeadlines, readPublisherSettings } from './publisher-service.ts'
export { findPublishedDocument, listAdvisoriesOfVersions, renderPublished } from './told-service.ts'
