export { registerOwnAccountRoutes, signInRoutes } from './routes.ts'
export { registerOwnTerminalRoutes, registerTerminalLoginRoutes } from './terminal-logins/routes.ts'
export { peopleProblems } from './problems.ts'
export { peopleJobs, peopleMessages } from './jobs.ts'
export { sweepPeople } from './service.ts'
export { createSignInLink } from './links/service.ts'
export {
  endSessionsAsOperator,
  listPeople,
  resetAsOperator,
  removeIdentitiesAsOperator,
} from './resets/service.ts'
