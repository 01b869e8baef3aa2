import type { ProblemPages } from '../../platform/errors.ts'

export const notificationProblems: ProblemPages = {
  'notification-target-not-found': {
    title: 'No such notification target',
    advice: 'GET …/notification-targets lists them.',
  },
  'too-many-notification-targets': {
    title: 'Too many notification targets',
    advice: 'Delete a target that is no longer used. GET …/notification-targets lists the targets.',
  },
  'notification-target-has-no-confirmed-address': {
    title: 'No address of the target is confirmed',
    advice:
      'The readers must open the link in the mail they got. POST …/notification-targets/{notificationTargetId}/addresses/confirmations sends it again.',
  },
  'notification-address-not-found': {
    title: 'No target has the address',
    advice: 'GET …/notification-targets lists those of the workspace.',
  },
  'notification-address-confirmed': {
    title: 'The address is already confirmed',
    advice: 'Nothing needs to be done: alerts are sent to it.',
  },
  'confirmation-too-soon': {
    title: 'The reader of the address was asked a moment ago',
    advice: 'Try again ten minutes after the last mail.',
  },
  'confirmation-too-often': {
    title: 'The reader of the address was asked too often',
    advice:
      'Five mails were sent without an answer. Ask the reader whether they arrive. The operator can confirm an address with `admin -- notification-address confirm`.',
  },
  'mail-not-configured': {
    title: 'No mail server is configured',
    advice:
      'The operator can set `PLIMSOLL_SMTP_URL` (docs/guide/operations.md), or confirm an address with `admin -- notification-address confirm`.',
  },
  'webhook-not-found': {
    title: 'No such webhook',
    advice: 'GET …/webhooks lists them.',
  },
  'webhook-disabled': {
    title: 'The webhook is disabled',
    advice:
      'Enable it with PUT …/webhooks/{webhookId}. An answer with the status 410 disables a webhook; see `lastAnswer`.',
  },
  'too-many-webhooks': {
    title: 'Too many webhooks',
    advice: 'Delete a webhook that is no longer used. GET …/webhooks lists the webhooks.',
  },
  'notification-is-confirmation': {
    title: 'A confirmation is not sent again from the log',
    advice:
      'POST …/notification-targets/{notificationTargetId}/addresses/confirmations sends another one, at most every ten minutes.',
  },
  'notification-under-way': {
    title: 'The notification is being sent',
    advice: 'GET …/notifications/{notificationId}/attempts shows the outcome within minutes.',
  },
  'notification-not-found': {
    title: 'No such notification',
    advice: 'POST …/notifications/list lists those of the last 90 days.',
  },
}
