/** Starts the service: reads the configuration and runs the roles it was given. */
import { enableCompileCache } from 'node:module'

enableCompileCache()

const { run } = await import('./service.ts')
await run(process.argv.slice(2))
