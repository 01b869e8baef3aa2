export { whoamiRoute, workspaceRoutes } from './routes.ts'
export { bootstrapWorkspace, getSettings } from './service.ts'
export { findWorkspaceName, listWorkspaceIds } from './store.ts'
export { workspaceProblems } from './problems.ts'
