export { registerArtifactOfferRoutes } from './artifact-offers/routes.ts'
export { registerTakerRoutes } from './routes.ts'
