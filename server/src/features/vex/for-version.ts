/** Takes the product of a document for the firmware version that it is imported for. */
import type { VexDocument, VexProduct, VexStatement } from '../../formats/vex/model.ts'
import { createThing } from '../../formats/vex/reading.ts'
import { AppError } from '../../platform/errors.ts'
import type { Resolver } from './targets/service.ts'

/**
 * Scanners do not know what they look at: govulncheck calls it "Unknown Product", others the name of a folder or an image, and
 * some statements name no product. What another version of the firmware or of a component is stays that.
 */
export function retargetDocument(document: VexDocument, resolver: Resolver): VexDocument {
  const unknown = new Set<string>()
  const faulty = new Set(
    document.faults.map(({ pointer }) => pointer.split('/').slice(0, 3).join('/')),
  )
  const meant = (product: VexProduct): VexProduct => {
    const [unmatched] = resolver.resolve([{ ...product, subcomponents: [] }]).unmatched
    if (!unmatched?.isUnknown) return product
    unknown.add(unmatched.product)
    return { ...product, isVersion: true }
  }
  const statementMeant = (statement: VexStatement): VexStatement => {
    const { products, pointer } = statement
    const isUnnamed = products.length === 0 && !faulty.has(pointer)
    return { ...statement, products: isUnnamed ? [THIS_VERSION] : products.map(meant) }
  }
  const statements = document.statements.map(statementMeant)
  if (unknown.size > 1) throw severalProducts([...unknown])
  return { ...document, statements }
}

const THIS_VERSION: VexProduct = { ...createThing(), isVersion: true, subcomponents: [] }
const MOST_SHOWN = 3

function severalProducts(products: readonly string[]): AppError {
  const named = products.slice(0, MOST_SHOWN).map((name) => JSON.stringify(name))
  const more = products.length > MOST_SHOWN ? ', …' : ''
  return new AppError(
    'invalid',
    'vex-invalid',
    `The document names ${products.length} products that are not in this firmware version (${named.join(', ')}${more}): only one of them can be the version. Split the document.`,
  )
}
