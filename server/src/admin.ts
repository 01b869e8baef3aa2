/** Starts the operator's commands. */
import { enableCompileCache } from 'node:module'
import { ignoreClosedOutput } from './platform/closed-output.ts'

enableCompileCache()

// The command is carried out all the same.
ignoreClosedOutput()

await import('./admin/program.ts')
