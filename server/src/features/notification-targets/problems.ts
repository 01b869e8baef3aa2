import type { ProblemPages } from '../../platform/errors.ts'

export const notificationProblems: ProblemPages = {
  'notification-target-not-found': {
    title: 'No such notification target',
    advice: 'GET …/notification-targets lists them.',
  },
  'too-many-notification-targets': {
    title: 'No more notification targets fit',
    advice: 'Delete one that is no longer used: GET …/notification-targets lists them.',
  },
  'notification-target-has-no-confirmed-address': {
    title: 'No address of the target is confirmed',
    advice:
      'Its readers have to open the link of the mail they got: POST …/notification-targets/{notificationTargetId}/addresses/confirmations sends it again.',
  },
  'notification-address-not-found': {
    title: 'No target has the address',
    advice: 'GET …/notification-targets lists those of the workspace.',
  },
  'notification-address-confirmed': {
    title: 'The address is confirmed already',
    advice: 'There is nothing to ask: it is told of alerts.',
  },
  'confirmation-too-soon': {
    title: 'The reader of the address was asked a moment ago',
    advice: 'Ask again ten minutes after the last time.',
  },
  'confirmation-too-often': {
    title: 'The reader of the address was asked often enough',
    advice:
      'Five mails stayed without an answer: ask the reader whether they arrive. The operator confirms an address with `admin -- notification-address confirm`.',
  },
  'mail-not-configured': {
    title: 'No mail server is configured',
    advice:
      'The operator sets `PLIMSOLL_SMTP_URL` (docs/guide/operations.md). Without it, `admin -- notification-address confirm` confirms an address.',
  },
  'webhook-not-found': {
    title: 'No such webhook',
    advice: 'GET …/webhooks lists them.',
  },
  'webhook-disabled': {
    title: 'The webhook is disabled',
    advice:
      'PUT …/webhooks/{webhookId} with the state `Enabled`. A server that answers 410 disables its webhook: `lastAnswer` tells.',
  },
  'too-many-webhooks': {
    title: 'No more webhooks fit',
    advice: 'Delete one that is no longer used: GET …/webhooks lists them.',
  },
  'notification-not-found': {
    title: 'No such notification',
    advice: 'POST …/notifications/list lists those of the last 90 days.',
  },
}
