import type { ProblemPages } from '../../platform/errors.ts'

export const imageCheckProblems: ProblemPages = {
  'artifact-signature-not-found': {
    title: 'No such signature beside the artifact',
    advice: 'GET …/artifact/signatures lists them.',
  },
  'too-many-artifact-signatures': {
    title: 'The artifact has as many signatures beside it as it may have',
    advice: 'Delete one that nobody needs.',
  },
}
