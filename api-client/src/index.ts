export { type ApiClient, type ApiClientOptions, createApiClient } from './client.ts'
export type { AnswerOf, BodyOf } from './operations.ts'
export { allPages } from './pages.ts'
export { ApiProblem, failureOf, UnexpectedAnswer } from './problem.ts'
