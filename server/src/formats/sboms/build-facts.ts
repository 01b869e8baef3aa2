/**
 * What a build says about vulnerabilities of a component apart from VEX: patches that it applied, and CVEs that its recipes
 * rule out.
 */
import { normaliseVulnerabilityId } from '../vex/reading.ts'
import type { VexProduct, VexStatement } from '../vex/model.ts'
import type { Draft } from './draft.ts'
import type { JsonObject } from './json-values.ts'
import { noteStatement } from './statements.ts'
import { shortenText } from '../shorten.ts'

export interface BuildFact
  extends
    Pick<VexStatement, 'vulnerability' | 'assessment'>,
    Partial<Pick<VexStatement, 'aliases' | 'justification' | 'responses' | 'statedAt'>> {
  /** What the build says, in words for people. */
  detail: string
  /** Where it stands in the document. */
  pointer: string
  /** The member it was read from; short, as each statement keeps it. */
  original: JsonObject
}

/** The fact is about this element of the document. */
export function noteBuildFact(draft: Draft, element: number, fact: BuildFact): void {
  const { original } = fact
  const elements = [{ element, versions: [] }]
  noteStatement(draft, {
    format: 'Build',
    statement: createStatement(fact, []),
    original,
    elements,
  })
}

/** The fact is about what other documents of the firmware version declare: the first of these products that it holds. */
export function noteFactAbout(
  draft: Draft,
  products: VexProduct[],
  { original, ...fact }: BuildFact,
): void {
  const statement = createStatement({ original, ...fact }, products)
  noteStatement(draft, { format: 'Build', statement, original, elements: [] })
}

function createStatement(fact: BuildFact, products: VexProduct[]): VexStatement {
  const { pointer, vulnerability, assessment, detail } = fact
  return {
    pointer,
    entry: 0,
    vulnerability: normaliseVulnerabilityId(vulnerability),
    aliases: fact.aliases ?? [],
    products,
    assessment,
    justification: fact.justification,
    detail,
    responses: fact.responses ?? [],
    statedAt: fact.statedAt,
  }
}

const MOST_CHARACTERS = 2_000

/** A text of a document as part of the words for people. */
export function quoteWords(text: string): string {
  return shortenText(text.replace(/\s+/g, ' ').trim(), MOST_CHARACTERS)
}
