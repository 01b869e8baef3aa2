/** UTF-8 bytes of JSON → value, within limits and with errors that name line and column. */
import { findJsonFault } from './json-fault.ts'
import { scanJson, type Budget } from './json-scan.ts'
import { SbomError } from './sbom-error.ts'
import { decodeUtf8, positionAt, storable } from './text.ts'

export interface ParsedJson {
  value: unknown
  /** U+0000 stood in texts and was replaced. */
  hadNul: boolean
}

export function parseJson(bytes: Uint8Array, budget: Budget): ParsedJson {
  const { values } = scanJson(bytes, budget)
  budget.values -= values
  const text = decodeUtf8(bytes)
  try {
    const hadNul = text.includes('\\u0000')
    return { value: hadNul ? JSON.parse(text, replaceNul) : JSON.parse(text), hadNul }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const fault = findJsonFault(text)
    if (fault === undefined) throw error
    throw new SbomError(
      'malformed',
      `The JSON is broken. ${positionAt(text, fault.offset)}: ${fault.what}.`,
    )
  }
}

function replaceNul(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}
