export { openExternalMqtt } from './external/service.ts'
export { registerMqttAuthRoutes } from './routes.ts'
export { openMqttDoor } from './embedded/service.ts'
export { mqttProblems } from './problems.ts'
