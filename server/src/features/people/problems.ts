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
  'wrong-code': {
    title: 'The code is wrong',
    advice:
      'Wait for the next code of the app, check the clock of the phone, or use a recovery code.',
  },
  'totp-in-use': {
    title: 'There is a second factor already',
    advice: 'Remove it (DELETE /me/totp), then add the new one.',
  },
  'totp-not-begun': { title: 'No secret waits for a code', advice: 'Begin with POST /me/totp.' },
  'no-second-factor': { title: 'There is no second factor', advice: 'Add one first.' },
  'no-portal': {
    title: 'There is no portal',
    advice: 'The operator switches it on (`PLIMSOLL_PORTAL`). Until then use an API key.',
  },
  'terminal-login-not-found': {
    title: 'Nothing waits for this code',
    advice: 'Check the code, or begin again with `plimsoll login`.',
  },
  'authorization-pending': {
    title: 'Nobody has decided yet',
    advice: 'Ask again after `interval` seconds.',
  },
  'slow-down': {
    title: 'Asked too often',
    advice: 'Wait five seconds longer between two attempts than before.',
  },
  'access-denied': { title: 'The login was refused', advice: 'Begin again if that was a mistake.' },
  'expired-token': {
    title: 'The login has expired',
    advice: 'Begin again with `plimsoll login`; a code holds for ten minutes.',
  },
  'passkeys-off': {
    title: 'This service takes no passkeys',
    advice: 'GET /auth/options tells which ways there are.',
  },
  'passkey-refused': {
    title: 'The passkey was refused',
    advice: 'Ask for new options and try again, or sign in another way.',
  },
  'passkey-not-found': { title: 'No such passkey', advice: 'GET /me/passkeys lists yours.' },
  'unknown-provider': {
    title: 'No such OpenID provider',
    advice: 'GET /auth/options lists the providers of this service.',
  },
  'provider-unavailable': {
    title: 'The OpenID provider cannot be reached',
    advice: 'Try again shortly, or sign in another way. The log of the service names the cause.',
  },
  'provider-refused': {
    title: 'The answer of the OpenID provider was refused',
    advice:
      'You may have declined, or the answer does not belong to this sign-in. Try again; the log of the service names the cause.',
  },
  'sign-in-expired': {
    title: 'The sign-in took too long',
    advice: 'Begin again, in the same browser, and finish within ten minutes.',
  },
  'email-not-verified': {
    title: 'The OpenID provider has not verified your e-mail address',
    advice: 'Confirm the address there, then sign in again.',
  },
  'other-account-linked': {
    title: 'Another account of this OpenID provider is linked to you',
    advice:
      'Sign in with that account. If it is gone, sign in another way, or ask the operator for `plimsoll-admin person unlink EMAIL`; the next sign-in links the account of today.',
  },
  'no-account': {
    title: 'You have no account here',
    advice: 'Ask an admin or owner of your workspace for an invitation.',
  },
  'person-not-found': { title: 'No such person', advice: '`admin -- person list` lists people.' },
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
