/** UTF-8 bytes of JSON → value, within limits and with errors that name line and column. */
import { findJsonFault } from './json-fault.ts'
import { scanJson, type Budget } from './json-scan.ts'
import { SbomError } from './sbom-error.ts'
import { decodeUtf8, positionAt } from './text.ts'

export function parseJson(bytes: Uint8Array, budget: Budget): unknown {
  const { values } = scanJson(bytes, budget)
  budget.values -= values
  const text = decodeUtf8(bytes)
  try {
    return JSON.parse(text)
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
