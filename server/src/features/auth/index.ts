export { installAuthentication, installGuard } from './guard.ts'
export type { Principal } from './principal.ts'
export { type Scope, SCOPES } from './scopes.ts'
export { findOrCreateSecret, invitePerson, issueApiKey, revokeApiKey } from './service.ts'
