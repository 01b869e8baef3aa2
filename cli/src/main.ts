#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { EXIT } from './exit-codes.ts'

enableCompileCache()
const { run } = await import('./program.ts')

// The reader of the output may stop early, as in `plimsoll findings list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.ok)
})

process.exitCode = await run(process.argv.slice(2), process)
