export { createKey, hashKey, isWellFormedKey } from './api-keys.ts'
export {
  installAuthentication,
  installGuard,
  installOriginCheck,
  installPersonGuard,
  isStillAllowed,
  readSessionToken,
  requireScope,
} from './guard.ts'
export { refuseWeakPassword } from './leaked-passwords.ts'
export { createLink, readLink, useLink } from './links/service.ts'
export { deleteOldLinks, LINK_KINDS, voidInvitationLinks } from './links/store.ts'
export { hashPassword, isOutdated, isPasswordRight, PASSWORD_CHARACTERS } from './passwords.ts'
export {
  type Principal,
  type SecondFactorState,
  SIGN_IN_METHODS,
  type SignedIn,
  type SignInMethod,
  type Visitor,
} from './principal.ts'
export { isRole, type Role, ROLES } from '../../formats/roles.ts'
export { canManageRole, ROLE_MEANINGS, listScopes } from './roles.ts'
export { registerApiKeyRoutes, registerSetupRoutes } from './routes.ts'
export { isScope, type Scope, SCOPES } from './scopes.ts'
export {
  describeOwnKey,
  findOrCreatePerson,
  invitePerson,
  isPersonEmail,
  issueApiKey,
  readPersonEmail,
  recordPersonAudit,
  refuseScopesBeyond,
  revokeApiKey,
  revokeKeysOfMaker,
  revokeOwnKey,
  rotateApiKey,
  unauthorized,
} from './service.ts'
export { nameCookie, readCookie, setCookie } from './sessions/cookie.ts'
export {
  authenticateSession,
  beginSession,
  listSessions,
  sweepSessions,
} from './sessions/service.ts'
export {
  deleteSession,
  deleteSessions,
  markSecondFactor,
  weakenSessions,
} from './sessions/store.ts'
export {
  findSecret,
  listApiKeys,
  lockSecrets,
  markEmailVerified,
  replaceSecret,
  revokeLoginKeys,
  updatePassword,
} from './store.ts'
export { READ_EVERY_MS, readSigningKeys, rotateSigningKey } from './signing-keys-service.ts'
export { authProblems } from './problems.ts'
