#!/usr/bin/env node
// Nothing is imported before the check: an older Node would fail at names it does not have, without saying why.
const NEEDED = { major: 22, minor: 14 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < NEEDED.major || (major === NEEDED.major && minor < NEEDED.minor)) {
  process.stderr.write(
    `plimsoll needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${process.versions.node}.\n`,
  )
  process.exit(1)
}

const { enableCompileCache } = await import('node:module')
enableCompileCache()
const { run } = await import('./program.ts')

// The reader of the output may stop early, as in `plimsoll findings list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const { env, stdin, stdout, stderr } = process
process.exitCode = await run(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signals: process,
})
