/** Signed bundles of what Plimsoll knows of a product line, for authorities and customers. */
export { listEvidenceKeys } from './keys-service.ts'
export { registerEvidenceRoutes } from './routes.ts'
