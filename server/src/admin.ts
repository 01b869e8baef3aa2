/** Starts the operator's commands. */
import { enableCompileCache } from 'node:module'
import { outliveReaders } from './platform/closed-output.ts'

enableCompileCache()

// The command is carried out all the same.
outliveReaders()

await import('./admin/program.ts')
