import type { ProblemPages } from '../../platform/errors.ts'

export const deploymentProblems: ProblemPages = {
  'deployment-not-found': {
    title: 'No such deployment',
    advice: 'GET …/deployment-cohorts/{id}/deployments lists those of a cohort.',
  },
  'deployment-not-active': {
    title: 'The deployment is not the active one',
    advice: 'It was replaced or cancelled. GET …/deployment-cohorts/{id} names the active one.',
  },
  'deployment-begun': {
    title: 'What has begun of a deployment cannot be changed',
    advice:
      'The detail names it. Later phases, the waiting time and thresholds of the present one, name and note can be changed; other devices or versions need a new deployment.',
  },
  'deployment-state': {
    title: 'The state of the deployment does not allow this',
    advice: 'Only a running or stopped deployment can be paused. A scheduled one can be cancelled.',
  },
  'no-next-phase': {
    title: 'The last phase has begun',
    advice:
      'All devices of the cohort have the update. `deployment devices` shows how far they are.',
  },
  'no-predecessor': {
    title: 'There is no deployment to roll back to',
    advice: 'The cohort has no earlier deployment. Create a deployment with the wanted versions.',
  },
  'nothing-to-roll-back': {
    title: 'No earlier deployment holds other versions to go back to',
    advice:
      'The detail names the earlier deployments and what speaks against each. Create a deployment with the wanted versions.',
  },
  'phase-changed': {
    title: 'Another phase would begin than the one that was meant',
    advice:
      'Somebody began it already. GET the deployment shows its phases; send the index of the next one as `phase`.',
  },
  'rollback-target-changed': {
    title: 'The rollback would restore another deployment than the one that was shown',
    advice:
      'GET …/rollback-preview shows what it restores now. Send its `restored.id` as `restores`.',
  },
  'artifact-missing': {
    title: 'A firmware version has no artifact',
    advice: 'PUT …/firmware-versions/{id}/artifact uploads the binary of a firmware version.',
  },
  'release-gate': {
    title: 'The release gate blocks the deployment',
    advice:
      'The firmware has known-exploited or critical findings. Assess them, or send `acknowledgement` with a reason.',
  },
  'client-cannot-take': {
    title: 'Devices of the cohort cannot install the deployment',
    advice:
      'The detail names their hawkBit clients and the limits of these. Deploy one artifact at a time, or move the devices to their own cohort.',
  },
}
