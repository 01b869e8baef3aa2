import type { ProblemPages } from '../../platform/errors.ts'

export const supportProblems: ProblemPages = {
  'support-statement-not-found': {
    title: 'No such stated end of support',
    advice:
      'It was deleted, or the id is wrong. GET …/support-statements lists those that there are.',
  },
  'too-many-support-statements': {
    title: 'The workspace has as many stated ends of support as it may have',
    advice: 'Delete those that no version has any more, or state one for a range of versions.',
  },
}
