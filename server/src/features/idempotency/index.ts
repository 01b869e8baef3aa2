export { installIdempotency, sweepIdempotencyKeys } from './hooks.ts'
export { idempotencyProblems } from './problems.ts'
