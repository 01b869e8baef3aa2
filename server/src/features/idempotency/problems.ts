import type { ProblemPages } from '../../platform/errors.ts'

export const idempotencyProblems: ProblemPages = {
  'idempotency-key-reused': {
    title: 'The key of another request',
    advice:
      'An `Idempotency-Key` names one request: the same method, address and body. Make a new key for each new request.',
  },
  'not-answered-yet': {
    title: 'The first request has no answer yet',
    advice:
      'It is still being worked on: try again when `Retry-After` says. If that does not end, the service was stopped in the middle of it: look whether it was done, and send it with a new key if not.',
  },
  'answer-not-kept': {
    title: 'It was done before',
    advice:
      'The first request was answered, and its answer is not kept, because it was long or held a secret that is shown once. Read what it made; make a new secret if you did not receive it.',
  },
}
