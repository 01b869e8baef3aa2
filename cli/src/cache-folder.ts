/** Where this person's programs keep what they can make anew. */
import { join } from 'node:path'

/** Never a folder that others can write: code that is kept there is run. @returns undefined where there is no home */
export function findCacheFolder(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const home = env['HOME'] ?? env['USERPROFILE']
  const base = env['XDG_CACHE_HOME'] || (home && join(home, '.cache'))
  return base ? join(base, 'plimsoll') : undefined
}
