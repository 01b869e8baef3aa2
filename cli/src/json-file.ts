import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { explainFileFault } from './file-faults.ts'
import { usageError } from './failure.ts'
import { getTerminal } from './terminal.ts'

/** Reads the JSON object of a file, or of stdin for `-`. */
export async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  const text = await (path === '-' ? readAll(getTerminal().stdin) : readFile(path, 'utf8')).catch(
    (error: unknown) => {
      throw usageError(`Cannot read ${path}: ${explainFileFault(error)}.`)
    },
  )
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return document as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw usageError(`${path} is not JSON: ${error.message}.`)
  }
  throw usageError(`${path} does not hold a JSON object.`)
}
