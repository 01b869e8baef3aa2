import type { ProblemPages } from '../../platform/errors.ts'

export const deviceProblems: ProblemPages = {
  'device-not-found': {
    title: 'No such device',
    advice: 'POST …/devices/list lists the devices.',
  },
  'device-exists': {
    title: 'The device is registered already',
    advice:
      'Ids of devices are unique in a workspace. PATCH …/devices/{deviceId} changes the device.',
  },
  'device-unauthorized': {
    title: 'No valid device key',
    advice:
      'Send the workspace, the id of the device and a key of that device or of the fleet that is not revoked, in the form of the door (docs/guide/device-protocol.md).',
  },
  'device-id-not-possible': {
    title: 'No device can have this id',
    advice:
      'An id has 1 to 128 of `A–Z a–z 0–9 . _ -` and begins with a letter or digit. Configure another one at the device (hawkBit: the controller id), such as AA-BB-CC-00-11-22 for a MAC address.',
  },
  'device-batch-not-found': {
    title: 'No such change of devices',
    advice:
      'Answers of POST …/devices/bulk-tag and …/bulk-move name it as `deviceBatchId`. It is kept for seven days, and each has a path of its own to take it back.',
  },
  'device-batch-undone': {
    title: 'The change was taken back already',
    advice: 'The audit log says by whom, and when. Change the devices again if it was right.',
  },
  'device-key-not-found': {
    title: 'No such device key',
    advice: '`admin -- device-key list` lists the keys of a workspace.',
  },
  'configuration-not-reported': {
    title: 'The device has not reported its configuration',
    advice: 'Wait until the device has connected and reported its configuration.',
  },
  'configuration-change-not-found': {
    title: 'No such change of configurations',
    advice: 'GET …/device-configuration-changes lists the newest changes.',
  },
}
