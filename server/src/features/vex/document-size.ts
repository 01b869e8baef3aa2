import type { VexDocument, VexStatement } from '../../formats/vex/model.ts'
import { AppError } from '../../platform/errors.ts'

/** What resolving all of a document takes is bounded: it holds up everybody else meanwhile. Yocto's has 7,239. */
const MOST_STATEMENTS = 20_000
const MOST_NAMED = 50_000

export function refuseTooMuch({ statements }: Pick<VexDocument, 'statements'>): void {
  if (statements.length > MOST_STATEMENTS)
    throw tooMuch(`${statements.length} statements`, `${MOST_STATEMENTS} statements`)
  const named = statements.reduce((sum, statement) => sum + namedIn(statement), 0)
  if (named > MOST_NAMED)
    throw tooMuch(
      `${named} products, parts and versions in its statements`,
      `${MOST_NAMED} of them, each counted as often as it is named and for every alias of the vulnerability`,
    )
}

/** What is said of a vulnerability is kept by each of its names. */
function namedIn({ products, aliases }: VexStatement): number {
  const things = products.flatMap((product) => [product, ...product.subcomponents])
  const named = things.reduce((sum, { versions }) => sum + 1 + versions.length, 0)
  return Math.max(named, 1) * (1 + aliases.length)
}

function tooMuch(has: string, most: string): AppError {
  const detail = `The document has ${has}; at most ${most} are taken at a time. Split it into several documents, each with an id of its own, or leave out what is about other products.`
  return new AppError('invalid', 'vex-invalid', detail)
}
