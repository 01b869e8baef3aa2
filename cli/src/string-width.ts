import { createRequire } from 'node:module'
import type measure from 'string-width'

/** Loading it takes as long as starting Node. The bundler of a release names it in its own way: here, to be loaded when called. */
export function loadStringWidth(): typeof measure {
  const loaded = createRequire(import.meta.url)('string-width') as { default: typeof measure }
  return loaded.default
}
