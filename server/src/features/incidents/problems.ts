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
  'alert-incidents-changed': {
    title: 'The selection has other incidents by now',
    advice: 'Look at the list again. A dry run says how many would change now.',
  },
  'alert-incident-batch-not-found': {
    title: 'No such change of incidents',
    advice: 'What was done to many incidents can be taken back for seven days.',
  },
  'alert-incident-batch-undone': {
    title: 'It was taken back before',
    advice:
      'Nothing is to be done: the incidents are as they were, but for what was changed since.',
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
