export { assignVulnerabilities, handOverAssigned, requireMember } from './assignees-service.ts'
export { discussionJobs, discussionMessages } from './jobs.ts'
export { type About as LetterOfColleague, writeGivenLetter } from './letters.ts'
export { sendToMember, planMails } from './mails-service.ts'
export { discussionProblems } from './problems.ts'
export { registerDiscussionRoutes } from './routes.ts'
export {
  AssignedVulnerabilities,
  assigneeFilterFields,
  assignFields,
  Colleague as ColleagueSchema,
  discussionFields,
} from './schemas.ts'
export { findMemberOf, listAssigneeConditions, type Person as Colleague } from './store.ts'
export { addDiscussions } from './discussed-service.ts'
