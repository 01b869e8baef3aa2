/** Where this person's programs keep what they can make anew, and what they cannot. */
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Never a folder that others can write: code that is kept there is run. @returns undefined where there is no home */
export function findCacheFolder(env: Environment): string | undefined {
  return findBelow(env, env['XDG_CACHE_HOME'], '.cache')
}

/** @returns undefined where there is no home */
export function findProfilesFile(env: Environment): string | undefined {
  const folder = findBelow(env, env['XDG_CONFIG_HOME'], '.config')
  return folder === undefined ? undefined : join(folder, 'config.json')
}

function findBelow(env: Environment, stated: string | undefined, usual: string) {
  const home = env['HOME'] ?? env['USERPROFILE']
  const base = stated || (home && join(home, usual))
  return base ? join(base, 'plimsoll') : undefined
}
