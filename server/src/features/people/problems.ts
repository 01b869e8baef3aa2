import type { ProblemPages } from '../../platform/errors.ts'

export const peopleProblems: ProblemPages = {
  'sign-in-failed': {
    title: 'The sign-in failed',
    advice:
      'Check the e-mail address and the password. A forgotten password is replaced with a link by mail, or by the operator.',
  },
  'too-many-attempts': {
    title: 'Too many attempts to sign in',
    advice: 'Wait as long as `Retry-After` says. Signing in from another network is not held up.',
  },
  'password-sign-in-off': {
    title: 'This service takes no passwords',
    advice: 'Sign in with one of the ways that GET /auth/options names.',
  },
  'wrong-password': { title: 'The password is wrong', advice: 'Enter your present password.' },
  'session-not-found': { title: 'No such session', advice: 'GET /me/sessions lists yours.' },
  'sign-in-first': {
    title: 'Sign in before you open this link',
    advice:
      'You have an account already. Sign in with the address that the invitation is for, and open the link again.',
  },
  'link-of-somebody-else': {
    title: 'The link is for somebody else',
    advice: 'Sign out, and open the link as the person whose address it names.',
  },
}
