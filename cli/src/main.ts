#!/usr/bin/env node
// The bundle of the release is CommonJS, as single executables want it: so no top-level await.
import module from 'node:module'
import { join } from 'node:path'
import { findCacheFolder } from './cache-folder.ts'

const NEEDED = { major: 20, minor: 12 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < NEEDED.major || (major === NEEDED.major && minor < NEEDED.minor)) {
  process.stderr.write(
    `plimsoll needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${process.versions.node}.\n`,
  )
  process.exit(1)
}

// The reader of the output may stop early, as in `plimsoll findings list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

async function main(): Promise<void> {
  keepCompiledCode()
  const { run } = await import('./program.ts')
  const { env, stdin, stdout, stderr } = process
  process.exitCode = await run(process.argv.slice(2), {
    env,
    stdin,
    stdout,
    stderr,
    signals: process,
  })
}

/** Node's own place for it is shared by all users of the machine. */
function keepCompiledCode(): void {
  const folder = findCacheFolder(process.env)
  // Node 20 has none.
  if (folder !== undefined && 'enableCompileCache' in module)
    module.enableCompileCache(join(folder, 'compiled'))
}

void main()
