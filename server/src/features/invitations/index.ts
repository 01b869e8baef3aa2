export { registerInvitationRoutes } from './routes.ts'
export { invitationProblems } from './problems.ts'
export { invitationJobs, invitationMessages } from './jobs.ts'
export { acceptInvitation, endInvitationsOfMember, findOpenInvitation, invite } from './service.ts'
