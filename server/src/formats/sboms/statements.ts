/** VEX statements inside SBOMs, about components or about the whole document. */
import { readCycloneDxVex } from '../vex/cyclonedx-vex.ts'
import { VexError, type VexFault } from '../vex/model.ts'
import { isLimitMet } from '../vex/naming.ts'
import { parsePurl } from '../purl.ts'
import type { CycloneDxReading } from './cyclonedx-reading.ts'
import type { Draft, DraftStatement } from './draft.ts'
import { listObjects, type JsonObject } from './json-values.ts'
import type { SbomStatement } from './model.ts'
import { quote, type Warnings } from './warnings.ts'

/** Yocto writes about 7,000 for an image. */
const MOST_STATEMENTS = 50_000

export function noteStatement(draft: Draft, statement: DraftStatement): void {
  if (draft.statements.length < MOST_STATEMENTS) draft.statements.push(statement)
  else draft.faults.add(`VEX statement beyond the first ${MOST_STATEMENTS}, left out`)
}

function noteFaults(faults: readonly VexFault[], to: Warnings): void {
  for (const { pointer, detail } of faults)
    to.add('VEX statement that cannot be read', `${quote(pointer)} ${detail}`)
}

export function readCycloneDxStatements(bom: JsonObject, reading: CycloneDxReading): void {
  const { draft, space } = reading
  if (!listObjects(bom['vulnerabilities']).some((one) => one['analysis'] !== undefined)) return
  const { statements, entries, faults } = readVex(bom, draft.faults)
  noteFaults(faults, draft.faults)
  // The document's own BOM-Link refers to itself.
  const link = space.namespace === undefined ? undefined : `${space.namespace}#`
  const refOf = (ref: string) =>
    link !== undefined && ref.startsWith(link) ? ref.slice(link.length) : ref
  for (const statement of statements) {
    const original = entries[statement.entry] ?? {}
    const elements = statement.products.flatMap(({ localRef = '', ...product }) => {
      const element = space.elements.get(refOf(localRef))
      const { versions } = product.subcomponents[0] ?? product
      return element === undefined ? [] : [{ element, versions }]
    })
    noteStatement(draft, { format: 'CycloneDx', statement, original, elements })
  }
}

function readVex(bom: JsonObject, faults: Warnings) {
  try {
    return readCycloneDxVex(bom)
  } catch (error) {
    if (!(error instanceof VexError)) throw error
    faults.add('VEX statements that cannot be read', error.message)
    return { statements: [], entries: [], faults: [] }
  }
}

/** Resolves the components of the statements after all elements are declared. */
export function finishStatements(draft: Draft, roots: readonly number[]): SbomStatement[] {
  const [root, ...otherRoots] = new Set(roots)
  return draft.statements.map(({ elements: named, ...statement }) => {
    const elements = named.filter(({ element }) => !draft.ambiguous.has(element))
    if (elements.length < named.length)
      draft.faults.add(
        'VEX statement about an id that several components share, not applied to them',
        quote(statement.statement.vulnerability),
      )
    const isAbout = ({ element, versions }: DraftStatement['elements'][number]) => {
      const component = draft.components[draft.elements[element] ?? -1]
      if (!component) return []
      const purl = component.purl === undefined ? undefined : parsePurl(component.purl)
      return isLimitMet(versions, { purl, version: component.version }) === true
        ? [component.node]
        : []
    }
    // A patch of the root is in its own code, not in all that it contains.
    const isWhole =
      statement.format !== 'Build' &&
      elements.some(({ element }) => element === root) &&
      otherRoots.length === 0
    const nodes = new Set(
      elements.filter(({ element }) => !isWhole || element !== root).flatMap(isAbout),
    )
    return { ...statement, nodes: [...nodes].toSorted((a, b) => a - b), isWhole }
  })
}
