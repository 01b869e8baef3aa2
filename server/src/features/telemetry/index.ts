export { telemetryListener } from './intake-service.ts'
