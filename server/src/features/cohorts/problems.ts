import type { ProblemPages } from '../../platform/errors.ts'

export const cohortProblems: ProblemPages = {
  'deployment-cohort-not-found': {
    title: 'No such deployment cohort',
    advice: 'GET …/deployment-cohorts lists them.',
  },
  'deployment-cohort-name-taken': {
    title: 'The cohort name is taken',
    advice: 'Names of deployment cohorts are unique in a workspace.',
  },
  'cohort-has-active-deployment': {
    title: 'The cohort has an active deployment',
    advice: 'POST …/deployments/{deploymentId}/cancel ends it; then delete the cohort.',
  },
  'device-in-another-cohort': {
    title: 'Devices are in another cohort',
    advice: 'A device is in one cohort at a time. Send `"move": true` to take it out of the other.',
  },
}
