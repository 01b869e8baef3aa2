/** Signed bundles of what Plimsoll knows of a product line, for authorities and customers. */
export { registerEvidenceRoutes } from './routes.ts'
