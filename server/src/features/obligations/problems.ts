import type { ProblemPages } from '../../platform/errors.ts'

export const obligationProblems: ProblemPages = {
  'obligation-not-found': {
    title: 'No such point',
    advice: 'GET …/obligations lists the points with their ids.',
  },
}
