/**
 * The server as people install it: the modules compiled to JavaScript where they were, the packages they import, migrations and
 * the portal. It runs with any Node 24; the embedded database is an archive of its own.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { buildPortal, compressFiles } from '../../server/src/portal/build.ts'
import { readPages } from '../docs/pages.ts'
import { buildSite } from '../docs/site.ts'
import type { ReleaseFacts } from './facts.ts'
import { LockFile } from './lock-file.ts'
import { readStages } from './containerfile.ts'
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

/** Messages, settings and guides refer to these paths. */
const COPIED = [
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs',
  'deploy',
  'examples',
  'integrations',
  'server/migrations',
  'server/openapi.json',
]
/** What using a checkout leaves there: secrets among it. */
const LEFT_BEHIND =
  /(?:^|\/)(?:__pycache__|node_modules|device|device-state|passwords|\.env|\.gitignore)$|\.o$/

export interface ServerParts {
  /** A build of the portal that exists; without it one is made. */
  portal?: string
}

/** Folders at the top of a package that are of its own development, and settings of its tools anywhere. */
const OF_DEVELOPMENT =
  /^(?:tests?|bench(?:mark)?s?|examples?|docs|integration|coverage|scripts|index\.html)$|(?:^|\/)\.[^/]+$/

/** Fills the folder. */
export async function buildServer(
  facts: ReleaseFacts,
  folder: string,
  { portal }: ServerParts = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await compile(folder)
  copyDocuments(folder)
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
  writeServiceFiles(join(folder, 'systemd'))
  const image = readStages()
    .at(-1)
    ?.replace(/^COPY --from=build \S+ /m, 'COPY . ')
  writeFileSync(join(folder, 'Containerfile'), `# An image of this release.\n${image}`)
}

/** Unit, settings and operator's commands of the Debian package, for a release in /opt/plimsoll. */
export function writeServiceFiles(folder: string): void {
  for (const name of ['plimsoll.service', 'plimsoll.env', 'plimsoll-admin']) {
    const text = readFileSync(join(import.meta.dirname, 'debian', name), 'utf8')
      .replaceAll('/usr/bin/plimsoll-server', '/opt/plimsoll/bin/plimsoll-server')
      .replaceAll('/usr/share/doc/plimsoll/README.md', '/opt/plimsoll/docs/guide/install.md')
      .replaceAll('/usr/lib/plimsoll', '/opt/plimsoll')
    writeFileSync(join(folder, name), text)
  }
}

/** What is the same in a checkout. */
export function copyDocuments(folder: string): void {
  const filter = (source: string) => !LEFT_BEHIND.test(relative(REPOSITORY, source))
  for (const path of COPIED)
    cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true, filter })
}

/** Without the packages within it, which are listed by themselves. */
function copyPackage(path: string, folder: string): void {
  const root = join(REPOSITORY, path)
  const filter = (source: string) => {
    const inside = relative(root, source)
    if (inside === 'node_modules' || OF_DEVELOPMENT.test(inside) || UNREAD.test(inside))
      return false
    return !isProgram(source)
  }
  cpSync(root, join(folder, path), { recursive: true, filter })
  for (const file of globSync('**/*', { cwd: join(folder, path), withFileTypes: true }))
    if (file.isFile()) chmodSync(join(file.parentPath, file.name), 0o644)
}

/** Nobody starts the programs of packages, which ask for a `node` that may be too old. */
function isProgram(path: string): boolean {
  return statSync(path).isFile() && readFileSync(path).subarray(0, 2).toString() === '#!'
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
