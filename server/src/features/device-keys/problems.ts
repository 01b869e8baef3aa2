import type { ProblemPages } from '../../platform/errors.ts'

export const deviceKeyProblems: ProblemPages = {
  'too-many-device-keys': {
    title: 'There are too many device keys for one answer',
    advice:
      'GET …/device-keys has at most 1,000. `POST …/device-keys/list` reads them page by page, and takes a filter: by device, by a part of the name, with or without those that were revoked.',
  },
  'key-rotation-not-asked': {
    title: 'Nobody asked the device to replace its key',
    advice:
      'A device fetches its next key only while the team asks for it: `plimsoll device rotate-key`, or the page of the device. What it has goes on.',
  },
  'key-rotation-needs-own-key': {
    title: 'The device has to show a key of its own',
    advice:
      'A key of all devices, or a certificate, cannot be replaced so. Make a key for this device alone (`plimsoll device-key create DEVICE`), and put it on the device.',
  },
  'device-cannot-rotate-key': {
    title: 'The device cannot fetch its next key by itself',
    advice:
      'hawkBit clients have no way to do so, and a device without a key of its own has nothing to replace. Make a key by hand, put it on the device, and revoke the old one.',
  },
  'key-rotation-not-found': {
    title: 'The device is not asked to replace its key',
    advice: 'There is nothing to take back. GET …/devices/{deviceId} says how its last one ended.',
  },
  'key-rotation-fetched': {
    title: 'The device has its next key already',
    advice:
      'It may have stored it, so it cannot be taken back without locking the device out. Wait until the device uses it, or revoke a key by hand.',
  },
  'key-rotation-batch-not-found': {
    title: 'No such request',
    advice:
      'The answer of POST …/devices/bulk-rotate-keys names it as `keyRotationBatchId`. It is gone once each device was asked anew, or the request was taken back.',
  },
}
