export { assignVulnerabilities } from './assignees-service.ts'
export { discussionJobs, discussionMessages } from './jobs.ts'
export { discussionProblems } from './problems.ts'
export { registerDiscussionRoutes } from './routes.ts'
export {
  AssignedVulnerabilities,
  assigneeFilterFields,
  assignFields,
  discussionFields,
} from './schemas.ts'
export { listAssigneeConditions } from './store.ts'
export { addDiscussions } from './discussed-service.ts'
