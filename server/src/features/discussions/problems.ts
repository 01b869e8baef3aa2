import type { ProblemPages } from '../../platform/errors.ts'

export const discussionProblems: ProblemPages = {
  'comment-not-found': {
    title: 'No such comment',
    advice: 'It was deleted, or never existed. GET …/vulnerabilities/{cveId}/comments lists them.',
  },
  'not-your-comment': {
    title: 'Somebody else wrote the comment',
    advice: 'Write one of your own. Owners and admins may delete those of others.',
  },
  'too-many-comments': {
    title: 'The vulnerability has as many comments as it may have',
    advice: 'Delete some that nobody needs.',
  },
}
