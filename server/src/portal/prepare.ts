/** After `npm ci` (npm's script `prepare`): builds the portal, so that the first start need not wait for it. */
import { preparePortal } from './build.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
try {
  await preparePortal(say)
} catch (error) {
  // An installation without pages is one, too: the service tries again at its start.
  say(`The portal was not built: ${error instanceof Error ? error.message : String(error)}`)
}
