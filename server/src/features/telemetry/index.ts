export { type Aggregation, AGGREGATIONS } from './aggregation.ts'
export { telemetryListener } from './intake-service.ts'
export { telemetryRoutes } from './routes.ts'
export { keepTelemetry } from './upkeep-service.ts'
