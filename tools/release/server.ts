/**
 * The server as people install it: the modules compiled to JavaScript where they were, the packages they import, migrations and
 * the portal. It runs with any Node 24; the embedded database is an archive of its own.
 */
import { cpSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { buildPortal, compressFiles } from '../../server/src/portal/build.ts'
import { readPages } from '../docs/pages.ts'
import { buildSite } from '../docs/site.ts'
import type { ReleaseFacts } from './facts.ts'
import { LockFile } from './lock-file.ts'
import { REPOSITORY } from './paths.ts'

/** Whatever is started: the programs, and the processes that they start. */
const ENTRIES = [
  'server/src/main.ts',
  'server/src/admin.ts',
  'server/src/platform/calculator-process.ts',
  'server/src/features/**/*-process.ts',
]
/** Modules and calculations that run in other processes are named by URL, which a compiler does not touch. */
const MODULE_URL = /new URL\(\s*'([^']+)\.ts',\s*import\.meta\.url\s*\)/g
/** Everything else is a package that is shipped. */
const INLINED = /^[./\0]|^@oxc-project\/runtime/
/** Parts of packages that nothing reads when the service runs. */
const UNREAD = /\.(?:map|ts|mts|cts)$/

/** Messages and settings refer to the guides by these paths. */
const COPIED = ['LICENSE', 'CHANGELOG.md', 'docs', 'server/migrations', 'server/openapi.json']

export interface ServerParts {
  /** A build of the portal that exists; without it one is made. */
  portal?: string
}

/** Folders at the top of a package that are of its own development, and settings of its tools anywhere. */
const OF_DEVELOPMENT =
  /^(?:tests?|bench(?:mark)?s?|examples?|docs|integration|coverage)$|(?:^|\/)\.[^/]+$/

/** Fills the folder. */
export async function buildServer(
  facts: ReleaseFacts,
  folder: string,
  { portal }: ServerParts = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await compile(folder)
  for (const path of COPIED) copy(path, folder)
  const manifest = { name: '@plimsoll/server', version: facts.version, type: 'module' }
  writeFileSync(join(folder, 'server/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const { path } of new LockFile().shippedWith(['server']))
    if (existsSync(join(REPOSITORY, path))) copyPackage(path, folder)
  const pages = join(folder, 'portal/dist')
  const guides = join(folder, 'site')
  await buildSite(REPOSITORY, readPages(REPOSITORY), guides)
  await compressFiles(guides)
  if (portal === undefined) await buildPortal(pages, { VITE_PLIMSOLL_ADMIN: 'plimsoll-admin' })
  else cpSync(portal, pages, { recursive: true })
  cpSync(join(import.meta.dirname, 'tree'), folder, { recursive: true })
}

function copy(path: string, folder: string): void {
  cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true })
}

/** Without the packages within it, which are listed by themselves. */
function copyPackage(path: string, folder: string): void {
  const root = join(REPOSITORY, path)
  const filter = (source: string) => {
    const inside = relative(root, source)
    return inside !== 'node_modules' && !OF_DEVELOPMENT.test(inside) && !UNREAD.test(inside)
  }
  cpSync(root, join(folder, path), { recursive: true, filter })
}

async function compile(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: REPOSITORY,
    input: globSync(ENTRIES, { cwd: REPOSITORY }).toSorted(),
    platform: 'node',
    external: (id) => !INLINED.test(id),
    treeshake: false,
    transform: { target: 'node24' },
    plugins: [
      {
        name: 'module-urls',
        transform: (code) => code.replace(MODULE_URL, "new URL('$1.js', import.meta.url)"),
      },
    ],
  })
  await bundle.write({
    dir: folder,
    format: 'es',
    preserveModules: true,
    preserveModulesRoot: REPOSITORY,
    entryFileNames: '[name].js',
  })
  await bundle.close()
}
