export { registerOwnNotificationRoutes, registerWeeklyMailPages } from './routes.ts'
export { startWeeklyMails } from './schedule-service.ts'
