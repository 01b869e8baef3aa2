import type { ProblemPages } from '../../platform/errors.ts'

export const ddiProblems: ProblemPages = {
  'action-not-found': {
    title: 'No such action',
    advice: 'Poll: the answer links to the open action. Each device has its own action ids.',
  },
  'action-closed': {
    title: 'The action is closed',
    advice:
      'It succeeded, failed, was cancelled, or was replaced by the next attempt. Poll for the open action.',
  },
  'software-module-not-found': {
    title: 'No such software module',
    advice: 'A device can access the files of its own update while that is open.',
  },
}
