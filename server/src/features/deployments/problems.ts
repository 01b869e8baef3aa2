import type { ProblemPages } from '../../platform/errors.ts'

export const deploymentProblems: ProblemPages = {
  'deployment-not-found': {
    title: 'No such deployment',
    advice: 'GET …/deployment-cohorts/{id}/deployments lists those of a cohort.',
  },
  'deployment-not-active': {
    title: 'The deployment is not the active one',
    advice:
      'Another took its place, or it was cancelled: GET …/deployment-cohorts/{id} names the active one.',
  },
  'deployment-state': {
    title: 'The deployment is not in a state for that',
    advice: 'One that has not started can be cancelled; only one that runs can be paused.',
  },
  'no-predecessor': {
    title: 'There is nothing to go back to',
    advice: 'The cohort had no deployment before this one. Create one with the versions wanted.',
  },
  'artifact-missing': {
    title: 'There is nothing to hand out',
    advice: 'PUT …/firmware-versions/{id}/artifact uploads the binary of a firmware version.',
  },
  'release-gate': {
    title: 'The release gate is closed',
    advice:
      'The firmware has known-exploited or critical findings. Assess them, or send `acknowledgement` with a reason.',
  },
  'client-cannot-take': {
    title: 'Devices of the cohort cannot take the deployment',
    advice:
      'The detail names their hawkBit clients and what those take: deploy one artifact at a time, or move the devices to a cohort of their own.',
  },
}
