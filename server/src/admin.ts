/** Starts the operator's commands. */
import { enableCompileCache } from 'node:module'

enableCompileCache()

// Who reads the answer may stop early, as in `status | head`. The command is carried out all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

await import('./admin/program.ts')
