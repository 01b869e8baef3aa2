export { installAuthentication, installGuard } from './guard.ts'
export { setupRoutes } from './routes.ts'
export { type Scope, SCOPES } from './scopes.ts'
export { findOrCreateSecret, invitePerson, issueApiKey, revokeApiKey } from './service.ts'
