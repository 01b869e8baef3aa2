export { deploymentChecks } from './checks-store.ts'
export { registerDeploymentRoutes } from './routes.ts'
export { removeFromCounters, moveDeviceUpdates } from './membership-service.ts'
export { deleteDeploymentsOfCohort, type DeploymentOptions, type DeploymentState } from './store.ts'
export { isInWindow } from './phases.ts'
export {
  ABLE,
  chooseArtifacts,
  type ChosenArtifact,
  type ClientAbility,
  findNeedOfImage,
  isPart,
  listChosenArtifacts,
  OFFER_REASONS,
  offerUpdate,
  offerUpdates,
  readClientAbility,
} from './device-updates/offers-service.ts'
export {
  countOffers,
  countRunning,
  type DeployedArtifact,
  findImage,
  listDeployedArtifacts,
  listOpenUpdates,
  listRoleFiles,
  type OfferGroup,
} from './device-updates/offers-store.ts'
export {
  CANCEL_NOTICE_MS,
  DEVICE_STATES,
  type DeviceState,
  UPDATE_STATES,
  type UpdateState,
} from './device-updates/state.ts'
export {
  listDeviceUpdates,
  listUpdatesOfDevice,
  storeUpdateReports,
} from './device-updates/service.ts'
export { ListDeviceUpdatesCommand } from './device-updates/schemas.ts'
export { advanceDeployments, startDeploymentSchedule } from './schedule/service.ts'
export { registerRiskRoutes } from './risk/routes.ts'
export { findClientLimitation, type FirmwarePart } from './readiness/planned-artifacts.ts'
export { listParts, listWithoutArtifact } from './readiness/store.ts'
export { getDeployment, listDeployments } from './service.ts'
export { type DeploymentTarget, describeTarget, selectDeviceStates } from './risk/store.ts'
export { DeploymentStateSchema } from './schemas.ts'
export { deploymentProblems } from './problems.ts'
