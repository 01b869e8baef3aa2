export { installNames } from './names/service.ts'
export type { MemberChanged, MemberLeaving } from './reactions.ts'
export { registerWhoamiRoute, registerWorkspaceRoutes } from './routes.ts'
export {
  addMember,
  bootstrapWorkspace,
  getSettings,
  requireRankOver,
  setKeepsSources,
} from './service.ts'
export {
  findRoleOfEmail,
  findWorkspaceName,
  listMembers,
  isMember,
  listWorkspaceIds,
  listWorkspacesNamed,
  readRemediationTargets,
  shareSettings,
} from './store.ts'
export {
  deleteWorkspace,
  exportWorkspace,
  type ExportSink,
  renameWorkspace,
  requireFreeName,
} from './whole/service.ts'
export { countContents, listWorkspaces } from './whole/store.ts'
export { workspaceProblems } from './problems.ts'
