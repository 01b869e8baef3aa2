export {
  renderFacts,
  renderList,
  renderSection,
  renderTable,
  renderWarning,
} from './sheet/sheet.ts'
export { STYLE } from './sheet/style.ts'
export { describeAct, describeDecider, nameSource } from './sheet/words.ts'
export { registerPrintedReportRoutes } from './routes.ts'
