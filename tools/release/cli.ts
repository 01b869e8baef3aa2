/** The command-line client: one file without dependencies, as an npm package and as an executable with Node inside. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import type { CommandNode } from '../../cli/src/completion/command-tree.ts'
import { describeCommands } from '../../cli/src/completion/describe-commands.ts'
import { createProgram } from '../../cli/src/program.ts'
import { compressFile, packFolder } from './archive.ts'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'
import { REPOSITORY } from './paths.ts'

/** What starts, in the folder of the bundle. */
export const CLIENT = 'plimsoll.cjs'

/** A small file that starts, and beside it a file for each group of commands, which is read when its command is called. */
export async function bundleCli(folder: string): Promise<void> {
  const bundle = await openBundle()
  const names = { entryFileNames: CLIENT, chunkFileNames: 'lib/[name].cjs' }
  await bundle.write({ dir: folder, format: 'cjs', ...names })
  await bundle.close()
  chmodSync(join(folder, CLIENT), 0o755)
}

/** CommonJS is what single executables want; its syntax is that of the oldest Node that may run it. */
async function openBundle() {
  return rolldown({
    cwd: REPOSITORY,
    input: 'cli/src/main.ts',
    plugins: [await fillInCommands(), loadWidthsLater()],
    platform: 'node',
    transform: { target: 'node20' },
    onLog: (level, { code, message }) => {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message)
    },
  })
}

/** What completion needs of the commands, so that a Tab loads none. */
async function fillInCommands(): Promise<Plugin> {
  const code = writeCommands(describeCommands(await createProgram()))
  return {
    name: 'fill-in-commands',
    load: (id) => (basename(id) === 'built-commands.ts' ? code : undefined),
  }
}

/** A `require` of the bundle loads when it is called. */
function loadWidthsLater(): Plugin {
  const code = "export const loadStringWidth = () => require('string-width').default"
  return {
    name: 'load-widths-later',
    load: (id) => (basename(id) === 'string-width.ts' ? code : undefined),
  }
}

/** Most options are those of all commands, so each one is written once: a third of the text, which each Tab reads. */
function writeCommands(program: CommandNode): string {
  const options = new Map<string, number>()
  const texts = JSON.stringify(program, (key, value: unknown) =>
    key === 'options' && Array.isArray(value) ? value.map((one) => `#${indexOf(one)}`) : value,
  )
  function indexOf(option: unknown): number {
    const text = JSON.stringify(option)
    const index = options.get(text) ?? options.size
    options.set(text, index)
    return index
  }
  const commands = texts.replaceAll(/"#(\d+)"/g, 'options[$1]')
  return `const options = [${[...options.keys()].join()}]\nexport const BUILT_COMMANDS = ${commands}`
}

/** As `npm pack` names it. */
export async function packCli(
  facts: ReleaseFacts,
  { bundle, work, dist }: { bundle: string; work: string; dist: string },
): Promise<string> {
  const folder = join(work, 'npm')
  cpSync(bundle, join(folder, 'package/dist'), { recursive: true })
  copyFileSync(join(REPOSITORY, 'LICENSE'), join(folder, 'package/LICENSE'))
  copyFileSync(join(REPOSITORY, 'cli/README.md'), join(folder, 'package/README.md'))
  const manifest = readFileSync(join(REPOSITORY, 'cli/package.json'), 'utf8')
  // The bundle holds what the checkout depends on.
  const { dependencies: _, ...published } = JSON.parse(manifest) as Record<string, unknown>
  writeFileSync(join(folder, 'package/package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const file = join(dist, `plimsoll-${facts.version}.tgz`)
  await packFolder(facts, { folder, name: 'package', file })
  return file
}

/** The name that Node looks for in its own file (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** An executable reads no other files. */
async function writeOneFile(file: string): Promise<void> {
  const bundle = await openBundle()
  await bundle.write({ file, format: 'cjs', codeSplitting: false })
  await bundle.close()
}

export async function buildExecutable(
  facts: ReleaseFacts,
  { work, dist }: { work: string; dist: string },
): Promise<string> {
  const { os, arch } = facts.platform
  const script = join(work, 'executable.cjs')
  await writeOneFile(script)
  const blob = join(work, 'plimsoll.blob')
  const config = join(work, 'executable.json')
  // The blob names it: a whole path would tell builds apart.
  const options = {
    main: basename(script),
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
  }
  writeFileSync(config, JSON.stringify(options))
  // The code cache has V8's random numbers in it: with one seed, two builds are equal.
  const seeded = ['--random-seed=1', '--experimental-sea-config', config]
  await runCommand(process.execPath, seeded, { cwd: work })
  const executable = join(work, `plimsoll-${facts.version}-${os}-${arch}`)
  copyFileSync(readPinnedNode(), executable)
  chmodSync(executable, 0o755)
  const postject = join(REPOSITORY, 'node_modules/postject/dist/cli.js')
  const segment = os === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : []
  await runCommand(process.execPath, [
    postject,
    executable,
    'NODE_SEA_BLOB',
    blob,
    '--sentinel-fuse',
    FUSE,
    ...segment,
  ])
  const file = join(dist, `plimsoll-${facts.version}-${os}-${arch}.gz`)
  await compressFile(executable, file)
  rmSync(executable)
  return file
}

/** The Node of the lock file, not the machine's. */
export function readPinnedNode(): string {
  const node = realpathSync(process.execPath)
  if (node.startsWith(join(realpathSync(REPOSITORY), 'node_modules'))) return node
  throw new Error('Run this through npm run release: the Node of the lock file becomes part of it.')
}
