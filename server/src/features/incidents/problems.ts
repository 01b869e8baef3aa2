import type { ProblemPages } from '../../platform/errors.ts'

export const incidentProblems: ProblemPages = {
  'alert-incident-not-found': {
    title: 'No such incident',
    advice:
      'POST …/alert-incidents/list lists all incidents. An incident is deleted 400 days after its end.',
  },
  'alert-incident-not-acknowledged': {
    title: 'The incident is not acknowledged by that',
    advice: 'GET …/alert-incidents/{incidentId} says since when it is acknowledged, and by whom.',
  },
  'alert-silence-not-found': {
    title: 'No such silence',
    advice: 'GET …/alert-silences lists all silences.',
  },
  'alert-silence-ended': {
    title: 'The silence has ended already',
    advice: 'Its time was over, or somebody ended it. People are told again.',
  },
}
