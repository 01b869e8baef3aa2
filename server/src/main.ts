/** Starts the service: reads the configuration and runs the roles it was given. */
import { enableCompileCache } from 'node:module'
import { ignoreClosedOutput } from './platform/closed-output.ts'

enableCompileCache()
// A service goes on without a reader of its log.
ignoreClosedOutput()

const { run } = await import('./service.ts')
await run(process.argv.slice(2))
