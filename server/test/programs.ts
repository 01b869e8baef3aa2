/**
 * The programs of the service and the client, which tests start hundreds of times. Node takes a second of processor to load
 * their 2,400 modules, and a fifth of that to load what a bundler has put together, once a run.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCES = {
  main: 'server/src/main.ts',
  admin: 'server/src/admin.ts',
  client: 'cli/src/main.ts',
}
type Program = keyof typeof SOURCES
/** They are bundled together, as they have most modules in common. */
const OF_SERVER = ['main', 'admin'] as const satisfies Program[]

/** The file that Node runs. Modules in it have the places of their sources, which are below `root`. */
export async function findProgram(program: Program, root = ROOT): Promise<string> {
  // The folder for temporary files is that of the run.
  if (process.env['VITEST'] === undefined) return join(root, SOURCES[program])
  const bundled = program === 'client' ? [program] : OF_SERVER
  const name = createHash('sha256').update(`${bundled.join()} ${root}`).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `plimsoll-programs-${name}`)
  const built = join(folder, 'built')
  const fault = join(folder, 'fault')
  if (isFirst(folder))
    await bundle(bundled, root, join(folder, 'new')).then(
      () => renameSync(join(folder, 'new'), built),
      (error: unknown) => writeFileSync(fault, String(error)),
    )
  while (!existsSync(built)) {
    if (existsSync(fault)) throw new Error(`The programs could not be bundled: see ${fault}`)
    await delay(20)
  }
  return join(built, `${program}.js`)
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function bundle(programs: readonly Program[], root: string, folder: string): Promise<void> {
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((program) => [program, SOURCES[program]])),
    platform: 'node',
    treeshake: false,
    // Packages name others that they could use.
    logLevel: 'silent',
    transform: { target: 'node24' },
    plugins: [{ name: 'places', transform: (code, id) => withPlaces(code, id) }],
  })
  await bundled.write({ dir: folder, format: 'es', entryFileNames: '[name].js' })
  await bundled.close()
}

/** What a module asks about its place, answered with that of its source. */
function withPlaces(code: string, id: string): string {
  return code
    .replaceAll(
      /\bimport\.meta\.dirname\b|(?<!(?:const|let|var) )\b__dirname\b/g,
      JSON.stringify(dirname(id)),
    )
    .replaceAll(
      /\bimport\.meta\.filename\b|(?<!(?:const|let|var) )\b__filename\b/g,
      JSON.stringify(id),
    )
    .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
}
