export { workspaceRoutes } from './routes.ts'
export { bootstrapWorkspace } from './service.ts'
