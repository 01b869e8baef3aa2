/**
 * After `npm ci` (npm's script `prepare`): builds the portal and compiles the modules of the service, so that the first start
 * need not wait for them.
 */
import { enableCompileCache } from 'node:module'
import { preparePortal } from './build.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
try {
  await preparePortal(say)
} catch (error) {
  // An installation without pages is one, too: the service tries again at its start.
  say(`The portal was not built: ${error instanceof Error ? error.message : String(error)}`)
}
// Loading them fills the cache that the service uses, too.
enableCompileCache()
await import('../demo/start-demo.ts')
