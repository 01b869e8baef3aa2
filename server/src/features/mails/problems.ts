import type { ProblemPages } from '../../platform/errors.ts'

export const mailProblems: ProblemPages = {
  'too-many-mails': {
    title: 'Too many mails within an hour',
    advice:
      'Try again after the seconds in Retry-After. Mails to one address are limited, so that nobody is flooded, and those of the whole service by PLIMSOLL_MAILS_PER_HOUR.',
  },
}
