import type { ProblemPages } from '../../platform/errors.ts'

export const authProblems: ProblemPages = {
  unauthorized: {
    title: 'No valid API key or session',
    advice:
      'Send `Authorization: Bearer plm_…`, or sign in. Replace a key that was revoked or has expired.',
  },
  'insufficient-scope': {
    title: 'The key or the role lacks a scope',
    advice:
      'Use a key with the scope that the detail names; the scopes of a key cannot be changed. An admin or owner of the workspace changes the roles of people.',
  },
  'needs-a-person': {
    title: 'API keys cannot do this',
    advice: 'Sign in to the portal and do it there.',
  },
  'foreign-origin': {
    title: 'The request comes from another site',
    advice:
      'Browsers send `Sec-Fetch-Site` and `Origin` by themselves. Open the portal at its own address. Programs use an API key instead of a session.',
  },
  'second-factor-outstanding': {
    title: 'The sign-in is not complete',
    advice: 'Enter a code of your authenticator app or a recovery code, or sign in again.',
  },
  'second-factor-needed': {
    title: 'The workspace demands a second factor',
    advice: 'Add an authenticator app or a passkey to your account, and sign in with it.',
  },
  'second-factor-not-recent': {
    title: 'The second factor was not shown lately',
    advice:
      'Send a code to `/auth/second-factor`, or sign in with your passkey, and try again within ten minutes.',
  },
  'scopes-beyond-yours': {
    title: 'A key has no more scopes than who makes it',
    advice: 'Choose among the scopes of your role, or ask somebody who holds the others.',
  },
  'not-a-login': {
    title: 'The key was not made by a login',
    advice: 'An admin or owner of the workspace revokes it in the settings.',
  },
  'api-key-not-found': { title: 'No such API key', advice: 'Check the id.' },
  'link-not-found': {
    title: 'The link does not work',
    advice: 'A link works once, and for a limited time. Ask for a new one.',
  },
}
