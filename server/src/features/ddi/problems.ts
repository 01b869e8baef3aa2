import type { ProblemPages } from '../../platform/errors.ts'

export const ddiProblems: ProblemPages = {
  'action-not-found': {
    title: 'No such action',
    advice: 'Poll: the answer links to what is open. Ids of actions are those of one device.',
  },
  'action-closed': {
    title: 'The action is over',
    advice: 'It succeeded, failed, was cancelled or tried anew. Poll for what is open.',
  },
  'software-module-not-found': {
    title: 'No such software module',
    advice: 'A device reaches the files of its own update, for as long as it is open.',
  },
}
