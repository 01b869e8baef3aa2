export { authenticateByCertificate } from './certificate-service.ts'
export { authenticateRequest, createTriedCertificate } from './credentials-service.ts'
export { deviceIssuerProblems } from './problems.ts'
export { registerDeviceIssuerRoutes } from './routes.ts'
