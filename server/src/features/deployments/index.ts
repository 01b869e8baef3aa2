export { sendArtifact } from './artifact-download-service.ts'
export { artifactUrl } from './artifact-link.ts'
export { artifactDownloadRoute, artifactRoutes } from './artifact-routes.ts'
export { sweepArtifactFiles } from './artifact-sweep-service.ts'
