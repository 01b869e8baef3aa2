/** The problem types of devices, cohorts and deployments. */

export interface ProblemPage {
  title: string
  advice: string
}

export const FLEET_PROBLEMS: Readonly<Record<string, ProblemPage>> = {
  'broker-unauthorized': {
    title: 'Not the broker',
    advice: 'Send `Authorization: Bearer …` with the value of `PLIMSOLL_MQTT_AUTH_SECRET`.',
  },
  'device-exists': {
    title: 'The device is registered already',
    advice: 'Ids of devices are unique in a workspace: PATCH …/devices/{deviceId} changes it.',
  },
  'device-key-not-found': {
    title: 'No such device key',
    advice: '`admin -- device-key list` lists those of a workspace.',
  },
  'firmware-in-use': {
    title: 'The firmware is in use',
    advice:
      'Devices run a version of it, or a deployment holds one: POST …/devices/list with `firmwareIds` lists the devices.',
  },
  'firmware-version-in-use': {
    title: 'The firmware version is in use',
    advice:
      'Devices run it, or a deployment holds it: POST …/devices/list with `firmwareVersionIds` lists the devices.',
  },
  'device-message-malformed': {
    title: 'The message of the device is malformed',
    advice:
      'Nothing of the request was stored. The field `errors` names each fault with a JSON pointer; docs/guide/device-protocol.md describes the messages.',
  },
  'too-many-reports': {
    title: 'Too many reports at once',
    advice:
      'More reports of devices wait to be stored than the service holds. Send the same again after `Retry-After`; where it lasts, run more nodes with the role `gateway`, or a faster database.',
  },
  'device-not-found': {
    title: 'No such device',
    advice: 'POST …/devices/list lists them.',
  },
  'configuration-not-reported': {
    title: 'The device has not reported its configuration',
    advice: 'Wait until it has connected and said what it uses.',
  },
  'configuration-change-not-found': {
    title: 'No such change of configurations',
    advice: 'GET …/device-configuration-changes lists the newest.',
  },
  'deployment-cohort-not-found': {
    title: 'No such deployment cohort',
    advice: 'GET …/deployment-cohorts lists them.',
  },
  'deployment-not-found': {
    title: 'No such deployment',
    advice: 'GET …/deployment-cohorts/{id}/deployments lists those of a cohort.',
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
  'artifact-missing': {
    title: 'There is nothing to hand out',
    advice: 'PUT …/firmware-versions/{id}/artifact uploads the binary of a firmware version.',
  },
  'release-gate': {
    title: 'The release gate is closed',
    advice:
      'The firmware has known-exploited or critical findings. Assess them, or send `acknowledgement` with a reason.',
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
  'artifact-not-found': {
    title: 'No artifact',
    advice:
      'Of a firmware version: PUT …/firmware-versions/{id}/artifact uploads it. Of a device update: the link is not valid, or the update is over; what is desired of the device holds the current link.',
  },
  'artifact-deployed': {
    title: 'The artifact can no longer be changed',
    advice:
      'Deployments have told devices its digest. Create another firmware version for other bytes.',
  },
  'artifact-digest-mismatch': {
    title: 'Other bytes arrived than declared',
    advice: 'Nothing was kept. Compute Repr-Digest over the bytes of the file and send it again.',
  },
  'artifact-part-length': {
    title: 'The part is longer or shorter than its Content-Range',
    advice: 'Nothing of the part was kept; GET …/artifact/upload tells where to go on.',
  },
  'artifact-offset-wrong': {
    title: 'The part does not begin where the upload goes on',
    advice: 'Go on from the byte that the header Upload-Offset names.',
  },
  'artifact-upload-not-found': {
    title: 'No such upload',
    advice:
      'It is complete, has expired, or another took its place: GET …/artifact tells what is there; else begin anew.',
  },
}
