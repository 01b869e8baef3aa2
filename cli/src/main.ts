#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'
import { describeFailure } from './failure.ts'
import { note } from './print.ts'
import { createProgram } from './program.ts'

// The reader of the output may stop early, as in `plimsoll findings list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.ok)
})

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    const { exitCode, lines } = describeFailure(error)
    for (const line of lines) note(line)
    process.exitCode = exitCode
  }
}
