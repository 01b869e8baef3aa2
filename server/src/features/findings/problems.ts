import type { ProblemPages } from '../../platform/errors.ts'

export const findingProblems: ProblemPages = {
  'finding-not-found': {
    title: 'No such finding',
    advice: 'The id names no finding that ever held in this workspace.',
  },
}
