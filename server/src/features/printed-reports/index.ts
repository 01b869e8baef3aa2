export { describeAct, describeDecider, nameSource } from './sheet/words.ts'
export { registerPrintedReportRoutes } from './routes.ts'
