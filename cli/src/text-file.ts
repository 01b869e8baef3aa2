/** Files of text that a command is given. */
import { readFile } from 'node:fs/promises'
import { usageError } from './failure.ts'
import { explainFileFault } from './file-faults.ts'

/** Throws a usage error for a file that cannot be read. */
export const readTextFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`Cannot read ${file}: ${explainFileFault(error)}.`)
  })
