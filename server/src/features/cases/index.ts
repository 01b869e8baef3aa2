/** Cases of Article 14 of Regulation (EU) 2024/2847: facts, and the clocks that follow from them. */
export { caseProblems } from './problems.ts'
export { beginCase, recordSignal } from './create-service.ts'
export { type Deadline } from './deadlines.ts'
export { listAllCases, listCaseDeadlines, listCasesAt } from './list-service.ts'
export { startCaseSchedule } from './proposals-service.ts'
export { getCase } from './service.ts'
export { registerCaseRoutes } from './routes.ts'
export { STAGE_WORDS } from './stage-words.ts'
