export {
  DAILY_AT,
  DAILY_IN,
  type Digest,
  DIGEST_INTERVALS,
  findNextWeekly,
  type Weekly,
} from './digest.ts'
export { notificationChecks, reportNotificationHealth } from './health.ts'
export {
  type AttemptOutcome,
  writeConfirmationNotice,
  type Notice,
  type NoticeEvent,
  type NotificationKind,
  testNotice,
} from './notification.ts'
export * as outbox from './outbox-store.ts'
export { type QuietHours, WEEKDAYS } from './quiet-hours.ts'
export { registerNotificationRoutes } from './routes.ts'
export { ListNotificationsCommand } from './schemas.ts'
export { findWebhookNotice } from './store.ts'
export {
  createNotifications,
  listNotifications,
  notifyRecipient,
  notifyWebhook,
  sweepNotifications,
} from './service.ts'
export { isTimeZone } from './wall-clock.ts'
