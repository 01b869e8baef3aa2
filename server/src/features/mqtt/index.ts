export { openExternalMqtt } from './external/service.ts'
export { mqttAuthRoutes } from './routes.ts'
export { openMqttDoor } from './embedded/service.ts'
export { mqttProblems } from './problems.ts'
