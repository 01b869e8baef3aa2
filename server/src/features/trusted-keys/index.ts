export { trustedKeyProblems } from './problems.ts'
export { registerTrustedKeyRoutes } from './routes.ts'
export { trustedKeyMessages, TrustedKeysChanged } from './schemas.ts'
export { listKeysAtHand, readTrustedKeys } from './service.ts'
