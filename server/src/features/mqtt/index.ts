export { type OpenedMqttDoor, openMqttDoor } from './service.ts'
