export { exportVex } from './export/service.ts'
export { countStatements, listStatements, type ToldStatement } from './export/statements-store.ts'
export { recordPublication } from './export/store.ts'
export { parseBytes } from './bytes-service.ts'
export { readDocument } from './received-document.ts'
export {
  type DroppedInVersion,
  importSupplierDocuments,
  takeBackSupplierDocuments,
} from './supplier-documents-service.ts'
export { listVersionsDecidedBy } from './decisions/ended-store.ts'
export { applyStatements, endSbomDecisions } from './decisions/service.ts'
export { vexChecks } from './targets/checks-service.ts'
export { updateStatements } from './sbom-statements-service.ts'
export { registerVexRoutes } from './routes.ts'
export { vexProblems } from './problems.ts'
export { choosePurl } from './targets/service.ts'
