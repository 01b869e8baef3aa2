/**
 * After `npm ci` (npm's script `prepare`): builds the portal and the guides and compiles the modules of the service, so that the
 * first start need not wait for them.
 */
import { spawnSync } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { preparePortal } from './build.ts'

const DOCS = resolve(import.meta.dirname, '../../../tools/docs-site.ts')

const say = (text: string) => process.stdout.write(`${text}\n`)
try {
  await preparePortal(say)
} catch (error) {
  // An installation without pages is one, too: the service tries again at its start.
  say(`The portal was not built: ${error instanceof Error ? error.message : String(error)}`)
}
const { status, stderr } = spawnSync(process.execPath, [DOCS], { encoding: 'utf8' })
if (status !== 0) say(`The guides were not built: ${stderr}`)
// Loading them fills the cache that the service uses, too.
enableCompileCache()
await import('../demo/start-demo.ts')
