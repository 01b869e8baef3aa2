export { announce, announceAll, type Announcement } from './announce-service.ts'
export type { Notice, NoticeEvent } from './notice.ts'
export { webhookRoutes } from './webhook-routes.ts'
