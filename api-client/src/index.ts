export {
  type ApiClient,
  type ApiClientOptions,
  createApiClient,
  type GuardedClient,
} from './client.ts'
export { type CsvCell, formatCsv } from './csv.ts'
export { readDocumentName } from './document-name.ts'
export type { AnswerOf, BodyOf, WithEntityTag } from './operations.ts'
export type * from './schema.ts'
export { readAllPages } from './pages.ts'
export * from './values.ts'
export {
  describeOfferReason,
  describeTrait,
  DEVICE_STATE_NAMES,
  nameArtifactRole,
  nameDeploymentState,
  nameImageFormat,
  TRAIT_KIND_NAMES,
  UPDATE_STATE_NAMES,
} from './words.ts'
export { ApiProblem, readFailure, UnexpectedAnswer } from './problem.ts'
