import type { ProblemPages } from '../../platform/errors.ts'

export const authProblems: ProblemPages = {
  unauthorized: {
    title: 'No valid API key',
    advice: 'Send `Authorization: Bearer plm_…`. Replace a key that was revoked or has expired.',
  },
  'insufficient-scope': {
    title: 'The key lacks a scope',
    advice:
      'Use a key with the scope that the detail names. The scopes of a key cannot be changed.',
  },
  'api-key-not-found': { title: 'No such API key', advice: 'Check the id.' },
  'setup-link-not-found': {
    title: 'The setup link does not work',
    advice: 'A link works once, within seven days. Ask for a new one.',
  },
}
