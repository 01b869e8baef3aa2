/**
 * Until when components get fixes. What the source says is derived once for all workspaces, by package; days are compared when somebody
 * asks, so that nothing is written when a day passes.
 */
export { deriveSupportOfVersion, enqueueSupportUpgrade } from './derivation-service.ts'
export { supportJobs } from './jobs.ts'
