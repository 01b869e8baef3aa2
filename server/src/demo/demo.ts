/** A tour of the real service on data that ships with it: `npm run demo`. */
import { enableCompileCache } from 'node:module'

enableCompileCache()

const { reportFailure: reportingFailure, runUntilStopped: untilStopped } =
  await import('../service.ts')
const { createLog } = await import('../platform/log.ts')
const { startDemo } = await import('./start-demo.ts')
await reportingFailure(() => untilStopped(startDemo, createLog('silent')))
