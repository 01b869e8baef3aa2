export {
  DAILY_AT,
  DAILY_IN,
  type Digest,
  DIGEST_INTERVALS,
  nextWeekly,
  type Weekly,
} from './digest.ts'
export { notificationChecks, notificationHealth } from './health.ts'
export {
  type AttemptOutcome,
  confirmationNotice,
  type Notice,
  type NoticeEvent,
  type NotificationKind,
  testNotice,
} from './notification.ts'
export * as outbox from './outbox-store.ts'
export { type QuietHours, WEEKDAYS } from './quiet-hours.ts'
export { notificationRoutes } from './routes.ts'
export { findWebhookNotice } from './store.ts'
export { createNotifications, notifyRecipient, sweepNotifications } from './service.ts'
export { isTimeZone } from './wall-clock.ts'
