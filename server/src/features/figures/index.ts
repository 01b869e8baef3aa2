export { registerFigureRoutes } from './routes.ts'
export { FiguresQuery } from './schemas.ts'
export { type AskFigures, type Figure, maintainDisclosures, readFigures } from './service.ts'
export { describeValue } from './words.ts'
