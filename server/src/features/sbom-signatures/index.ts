export { sbomSignatureJobs } from './jobs.ts'
export { sbomSignatureProblems } from './problems.ts'
export { registerSbomSignatureRoutes } from './routes.ts'
export { enqueueUnexaminedSboms, listUnsignedSboms, readSbomSignatures } from './service.ts'
