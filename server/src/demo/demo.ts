/** A tour of the real service on data that ships with it: `npm run demo`. */
import { enableCompileCache } from 'node:module'
import { ignoreClosedOutput } from '../platform/closed-output.ts'

enableCompileCache()
// Nobody knows of a demo whose text nobody reads: it stops as by Ctrl-C.
ignoreClosedOutput(() => process.emit('SIGTERM'))

const { reportFailure: reportingFailure, runUntilStopped: untilStopped } =
  await import('../service.ts')
const { createLog } = await import('../platform/log.ts')
const { startDemo } = await import('./start-demo.ts')
await reportingFailure(() => untilStopped(startDemo, createLog('silent')))
