export { trustedKeyProblems } from './problems.ts'
export { registerTrustedKeyRoutes } from './routes.ts'
export {
  SbomKeysChanged,
  StatementKeysChanged,
  trustedKeyMessages,
  TrustedKeysChanged,
} from './schemas.ts'
export { hasTrustedCertificates, listCertificateEnds } from './store.ts'
export { getTrustedKey, listKeysAtHand, readTrustedKeys } from './service.ts'
