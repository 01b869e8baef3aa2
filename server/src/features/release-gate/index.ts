export { Gate as GateSchema, shownFinding as shownFindingFields } from './schemas.ts'
export { assessGate, type Gate } from './service.ts'
export type { UnknownCounts } from './store.ts'
export { describeFinding } from './shown-finding.ts'
