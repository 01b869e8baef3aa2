/** Builds the portal where its build is missing or older than its sources. */
import { spawn } from 'node:child_process'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  globSync,
  rmSync,
  statSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliCompress, createGzip } from 'node:zlib'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const PORTAL = join(REPOSITORY, 'portal')
const BUILD = join(PORTAL, 'dist')
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'package.json',
  'src/**',
  'public/**',
  '../api-client/src/**',
]
const OUTPUT_KEPT = 4000

/** The folder of the build, made first if it has to be. */
export async function preparePortal(onProgress: (text: string) => void): Promise<string> {
  if (!isStale()) return BUILD
  onProgress('building the portal')
  // Beside the old build, so that a service that runs goes on to serve it, and two that start do not meet.
  const fresh = join(PORTAL, `dist.${process.pid}`)
  try {
    await buildPortal(fresh)
    await replace(fresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return BUILD
}

function isStale(): boolean {
  const page = join(BUILD, 'index.html')
  if (!existsSync(page)) return true
  const builtAt = statSync(page).mtimeMs
  return globSync(SOURCES, { cwd: PORTAL }).some(
    (file) => statSync(join(PORTAL, file)).mtimeMs > builtAt,
  )
}

/** Fills the folder with the pages and what they load. `env` is for the build: what begins with VITE_, pages can read. */
export async function buildPortal(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await runVite(folder, env)
  await compressFiles(folder)
}

async function runVite(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const vite = join(REPOSITORY, 'node_modules/vite/bin/vite.js')
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: PORTAL,
    // Whoever starts the service may be a test: the pages are those of production all the same.
    env: {
      ...process.env,
      ...env,
      NODE_ENV: 'production',
      NO_COLOR: '1',
      PLIMSOLL_PORTAL_OUT: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT)
    })
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', fail)
    child.once('close', done)
  })
  if (code !== 0) throw new Error(output)
}

const COMPRESSED = ['**/*.js', '**/*.css', '**/*.svg']

/** Once at the build instead of at each request. */
export async function compressFiles(folder: string): Promise<void> {
  for (const file of globSync(COMPRESSED, { cwd: folder })) {
    const path = join(folder, file)
    await pipeline(createReadStream(path), createBrotliCompress(), createWriteStream(`${path}.br`))
    await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}.gz`))
  }
}

async function replace(fresh: string): Promise<void> {
  const old = `${fresh}.old`
  if (existsSync(BUILD)) await rename(BUILD, old)
  await rename(fresh, BUILD)
  await rm(old, { recursive: true, force: true })
}
