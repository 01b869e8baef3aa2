export { savedViewProblems } from './problems.ts'
export { registerSavedViewRoutes } from './routes.ts'
export { deleteViewsOfMember } from './service.ts'
