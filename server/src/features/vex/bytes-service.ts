/** Reads the bytes of a VEX document. */
import { parseJson } from '../../formats/sboms/parse-json.ts'
import { SbomError } from '../../formats/sboms/sbom-error.ts'
import { AppError } from '../../platform/errors.ts'
import { createDuplicateRefusal } from '../../platform/http/json-body.ts'

const MOST_VALUES = 2_000_000
const MOST_LEVELS = 200

/** Limits depth and number of values before anything is built from the body. */
export function parseBytes(body: Uint8Array): unknown {
  try {
    const budget = { depth: MOST_LEVELS, values: MOST_VALUES, valuesLimit: MOST_VALUES }
    const { value, duplicate } = parseJson(body, budget)
    if (duplicate !== undefined) throw createDuplicateRefusal(duplicate)
    return value
  } catch (error) {
    if (!(error instanceof SbomError)) throw error
    if (error.code === 'too-large') throw new AppError('tooLarge', 'body-too-large', error.message)
    throw new AppError('invalid', 'malformed-json', error.message)
  }
}
