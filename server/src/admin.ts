/** Starts the operator's commands. */
import { enableCompileCache } from 'node:module'

enableCompileCache()

await import('./admin/program.ts')
