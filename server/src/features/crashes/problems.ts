import type { ProblemPages } from '../../platform/errors.ts'

export const crashProblems: ProblemPages = {
  'crash-group-not-found': {
    title: 'No such group of crashes',
    advice: 'GET …/crash-groups lists them. Uploaded lines may have joined it with another one.',
  },
  'crash-build-not-found': {
    title: 'No crash names this build',
    advice: 'GET …/crash-builds lists the builds that crashes name.',
  },
  'too-many-crash-lines': {
    title: 'The build has as many lines as it may have',
    advice:
      'Send lines of the addresses that GET …/crash-builds/{buildId}/addresses lists, not of all.',
  },
}
