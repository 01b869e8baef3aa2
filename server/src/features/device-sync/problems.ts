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
      'More reports are waiting for the database than the service can hold. Send the same again after `Retry-After`. If this persists, run more nodes with the role `gateway` or a faster database.',
  },
}
