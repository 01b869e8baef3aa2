export { myNotificationRoutes, weeklyMailPages } from './routes.ts'
export { startWeeklyMails } from './schedule-service.ts'
