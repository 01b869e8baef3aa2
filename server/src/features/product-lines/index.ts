/** What a manufacturer places on the market under one name, and the firmware in it. */
export { productLineProblems } from './problems.ts'
export { registerProductLineRoutes } from './routes.ts'
export { listRetainedIds, refuseRetained } from './retention-service.ts'
export { getProductLine } from './service.ts'
export { keepFirstDeployments, listRetained } from './retention-store.ts'
export { hasSupportEnds, listSupportEnds, type SupportEnd } from './support-ends-store.ts'
export { listLines } from './store.ts'
