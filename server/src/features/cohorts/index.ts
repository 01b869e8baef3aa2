export { cohortChecks } from './checks-service.ts'
export { withDevicesLocked } from './members/locks-service.ts'
export {
  lockLeavingDevices,
  pickForCohort,
  placeDevicesByTags,
  releaseToTagRules,
  restoreMembership,
} from './members/moves-service.ts'
export { listMembership, lockDevices, type Member } from './members/store.ts'
export type { CohortMove } from './reactions.ts'
export { registerCohortRoutes } from './routes.ts'
export { getCohort } from './service.ts'
export { lockCohort, tryLockCohort } from './store.ts'
export { cohortProblems } from './problems.ts'
