export { startDeliveries } from './schedule-service.ts'
