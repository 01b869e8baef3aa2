export { artifactUrl } from './download-link.ts'
export { sendArtifact } from './download-service.ts'
export { artifactDownloadRoute, artifactRoutes } from './routes.ts'
export { sweepArtifactFiles } from './sweep-service.ts'
