import type { ProblemPages } from '../../platform/errors.ts'

export const savedViewProblems: ProblemPages = {
  'saved-view-not-found': {
    title: 'No such saved view',
    advice:
      'It was deleted, or is of somebody who does not share it. GET …/saved-views lists those that there are.',
  },
  'saved-view-exists': {
    title: 'You have a view of this name for the list',
    advice: 'Change that one, or choose another name.',
  },
  'too-many-saved-views': {
    title: 'You have as many views as you may have',
    advice: 'Delete some that you do not need.',
  },
}
