/** Reads a VEX document as it was sent to the API. */
import { formatCountOf } from '../../formats/counts.ts'
import { type VexDocument, VexError, type VexStatement } from '../../formats/vex/model.ts'
import { parseVex } from '../../formats/vex/parse-vex.ts'
import { AppError } from '../../platform/errors.ts'

/** Parses a document that was sent to the API, and refuses one that is too large. */
export function readDocument(value: unknown): VexDocument {
  try {
    const document = parseVex(value)
    refuseTooLarge(document)
    return document
  } catch (error) {
    if (!(error instanceof VexError)) throw error
    const { message, pointer } = error
    throw new AppError('invalid', 'vex-invalid', message, [{ pointer, detail: message }])
  }
}

/** A time in the future becomes the time of receipt: otherwise later versions of the document would be refused until then. */
export function capStatedAt({ statedAt }: VexDocument, receivedAt: Date): string | undefined {
  const received = receivedAt.toISOString()
  return statedAt !== undefined && statedAt > received ? received : statedAt
}

/** Limits the work of resolving one document, since other requests wait meanwhile. Yocto's document has 7,239 statements. */
const MOST_STATEMENTS = 20_000
const MOST_NAMED = 50_000

export function refuseTooLarge({ statements }: Pick<VexDocument, 'statements'>): void {
  if (statements.length > MOST_STATEMENTS)
    throw tooLarge(
      formatCountOf(statements.length, 'statement'),
      formatCountOf(MOST_STATEMENTS, 'statement'),
    )
  const named = statements.reduce((sum, statement) => sum + namedIn(statement), 0)
  if (named > MOST_NAMED)
    throw tooLarge(
      `${named} products, parts and versions in its statements`,
      `${MOST_NAMED} of them, counted once for each time one is named and for each alias of the vulnerability`,
    )
}

/** A statement is stored for the vulnerability and for each of its aliases. */
function namedIn({ products, aliases }: VexStatement): number {
  const things = products.flatMap((product) => [product, ...product.subcomponents])
  const named = things.reduce((sum, { versions }) => sum + 1 + versions.length, 0)
  return Math.max(named, 1) * (1 + aliases.length)
}

function tooLarge(has: string, most: string): AppError {
  const detail = `The document has ${has}; at most ${most} are accepted. Split it into several documents, each with its own id, or leave out statements about other products.`
  return new AppError('invalid', 'vex-invalid', detail)
}
