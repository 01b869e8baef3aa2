export { registerFigureRoutes } from './routes.ts'
export { type AskFigures, type Figure, maintainDisclosures, readFigures } from './service.ts'
export { VALUE_WORDS } from './words.ts'
