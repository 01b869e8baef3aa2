#!/usr/bin/env node
// The bundle of the release is CommonJS, as single executables want it: so no top-level await.
import module from 'node:module'
import { join } from 'node:path'
import type { Terminal } from './terminal.ts'
import { findCacheFolder } from './user-folders.ts'

const NEEDED = { major: 20, minor: 12 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < NEEDED.major || (major === NEEDED.major && minor < NEEDED.minor)) {
  process.stderr.write(
    `plimsoll needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${process.versions.node}.\n`,
  )
  process.exit(1)
}

// A reader that stops early, as in `plimsoll findings list | head`, ends what still writes; the exit code stays that of the command.
for (const output of [process.stdout, process.stderr])
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') fail(`Cannot write the answer: ${message}.`)
  })

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const isDebugged = (process.env['PLIMSOLL_DEBUG'] ?? '') !== ''
    fail(
      isDebugged
        ? String(stack)
        : `Failed by a fault of plimsoll: ${message}. PLIMSOLL_DEBUG=1 shows where.`,
    )
  })

function fail(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const { env, stdin, stdout, stderr } = process
  const terminal: Terminal = { env, stdin, stdout, stderr, signals: process }
  if (await completeFromBuilt(args, terminal)) return
  keepCompiledCode()
  const { run } = await import('./program.ts')
  process.exitCode = await run(args, terminal)
}

/** A shell that completes a line waits for no command to be loaded. */
async function completeFromBuilt(
  [command, end, ...words]: readonly string[],
  terminal: Terminal,
): Promise<boolean> {
  if (command !== '__complete' || end !== '--') return false
  const { BUILT_COMMANDS } = await import('./completion/built-commands.ts')
  if (!BUILT_COMMANDS) return false
  const { completeLine } = await import('./completion/complete.ts')
  const { runInTerminal } = await import('./terminal.ts')
  process.exitCode = await runInTerminal(terminal, () => completeLine(BUILT_COMMANDS, words))
  return true
}

/** Node's own place for it is shared by all users of the machine. */
function keepCompiledCode(): void {
  const folder = findCacheFolder(process.env)
  // Node 20 has none.
  if (folder !== undefined && 'enableCompileCache' in module)
    module.enableCompileCache(join(folder, 'compiled'))
}

void main()
