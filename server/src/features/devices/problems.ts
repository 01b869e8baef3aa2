import type { ProblemPages } from '../../platform/errors.ts'

export const deviceProblems: ProblemPages = {
  'device-not-found': {
    title: 'No such device',
    advice: 'POST …/devices/list lists them.',
  },
  'device-exists': {
    title: 'The device is registered already',
    advice: 'Ids of devices are unique in a workspace: PATCH …/devices/{deviceId} changes it.',
  },
  'device-unauthorized': {
    title: 'No valid device key',
    advice:
      'Send the device key as the door asks for it (docs/guide/device-protocol.md): the workspace, the id of the device and a key of that device or of its fleet have to fit, and the key must not be revoked.',
  },
  'device-key-not-found': {
    title: 'No such device key',
    advice: '`admin -- device-key list` lists those of a workspace.',
  },
  'configuration-not-reported': {
    title: 'The device has not reported its configuration',
    advice: 'Wait until it has connected and said what it uses.',
  },
  'configuration-change-not-found': {
    title: 'No such change of configurations',
    advice: 'GET …/device-configuration-changes lists the newest.',
  },
}
