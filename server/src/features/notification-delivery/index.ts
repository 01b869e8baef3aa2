export { registerDeliveryRoutes } from './routes.ts'
export { startDeliveries } from './schedule-service.ts'
