export { evaluateDueRules } from './engine-service.ts'
