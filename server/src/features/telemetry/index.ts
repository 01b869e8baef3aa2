export { telemetryListener } from './intake-service.ts'
export { keepTelemetry } from './upkeep-service.ts'
