import type { ProblemPages } from '../../platform/errors.ts'

export const findingProblems: ProblemPages = {
  'finding-not-found': {
    title: 'No such finding',
    advice: 'The workspace never had a finding with this id.',
  },
}
