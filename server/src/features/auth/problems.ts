import type { ProblemPages } from '../../platform/errors.ts'

export const authProblems: ProblemPages = {
  unauthorized: {
    title: 'No valid API key',
    advice:
      'Send `Authorization: Bearer plm_…`. A key that was revoked or has expired has to be replaced.',
  },
  'insufficient-scope': {
    title: 'The key may not do this',
    advice:
      'Use a key that holds the scope the detail names; keys cannot be widened after they were made.',
  },
  'api-key-not-found': { title: 'No such API key', advice: 'Check the id.' },
  'setup-link-not-found': {
    title: 'The setup link does not work',
    advice: 'Links work once and for seven days. Ask for a new one.',
  },
}
