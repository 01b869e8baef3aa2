export { imageChecks } from './checks-service.ts'
export { imageCheckJobs } from './jobs.ts'
export { imageCheckProblems } from './problems.ts'
export { registerImageCheckRoutes } from './routes.ts'
export { registerArtifactSignatureRoutes } from './signatures/routes.ts'
export { listUnmetDemands, type UnmetDemand } from './demands-service.ts'
export {
  enqueueUnexamined,
  forgetBytesOfDeltas,
  forgetGoneBytes,
  listVerifications,
} from './service.ts'
