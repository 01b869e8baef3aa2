import type { ProblemPages } from '../../platform/errors.ts'

export const incidentProblems: ProblemPages = {
  'alert-incident-not-found': {
    title: 'No such incident',
    advice: 'POST …/alert-incidents/list lists them; those that ended 400 days ago are gone.',
  },
}
