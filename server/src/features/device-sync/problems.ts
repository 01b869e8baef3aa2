import type { ProblemPages } from '../../platform/errors.ts'

export const deviceSyncProblems: ProblemPages = {
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
}
