/** OpenVEX 0.2.0. https://github.com/openvex/spec/blob/d29fab0c81cf/OPENVEX-SPEC.md */
import { isObject, isText, readText, type JsonObject } from '../sboms/json-values.ts'
import { removeEqual, type ExportedThing, type VexExport, type VexVerdict } from './export.ts'
import { joinTexts } from './reading.ts'
import { FALSE_POSITIVE, NO_ACTION, NO_REASON, describeVerdict } from './words.ts'
import { AS_OPENVEX, isOpenVexJustification } from './vocabulary.ts'

export function writeOpenVex({ id, publisher, statedAt, tool, product, verdicts }: VexExport) {
  return {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `urn:uuid:${id}`,
    author: publisher.name,
    ...(publisher.contact !== undefined && { role: publisher.contact }),
    timestamp: statedAt,
    version: 1,
    tooling: `${tool.name} ${tool.version}`,
    statements: removeEqual(
      verdicts.map((verdict) =>
        verdict.received?.format === 'OpenVex'
          ? receivedStatement(verdict, verdict.received.original, product)
          : ownStatement(verdict, product),
      ),
    ),
  }
}

const STATUSES = {
  NotAffected: 'not_affected',
  FalsePositive: 'not_affected',
  Exploitable: 'affected',
  Resolved: 'fixed',
  InTriage: 'under_investigation',
} as const

function ownStatement(verdict: VexVerdict, product: ExportedThing): JsonObject {
  const { vulnerability, title, assessment, statedAt } = verdict
  return {
    vulnerability: { name: vulnerability, ...(title !== undefined && { description: title }) },
    timestamp: statedAt,
    products: [writeProduct(verdict, product)],
    status: STATUSES[assessment],
    ...writeReasons(verdict),
  }
}

function writeProduct({ components }: VexVerdict, product: ExportedThing): JsonObject {
  if (components.length === 0) return writeThing(product)
  return { ...writeThing(product), subcomponents: components.map(writeThing) }
}

function writeThing({ purl, cpe, artifact }: ExportedThing): JsonObject {
  return {
    '@id': purl,
    identifiers: { purl, ...(cpe !== undefined && { cpe23: cpe }) },
    ...(artifact && { hashes: { 'sha-256': artifact.sha256 } }),
  }
}

function reasonsNotAffected(verdict: VexVerdict): JsonObject {
  const { assessment, justification, detail, responses } = verdict
  const word =
    justification === undefined || isOpenVexJustification(justification)
      ? justification
      : AS_OPENVEX[justification]
  const isFalsePositive = assessment === 'FalsePositive'
  const impact = detail ?? (isFalsePositive ? FALSE_POSITIVE : undefined)
  const isExact = !isFalsePositive && word === justification && responses.length === 0
  return {
    ...(word !== undefined && { justification: word }),
    ...((impact !== undefined || word === undefined) && { impact_statement: impact ?? NO_REASON }),
    ...(!isExact && { status_notes: describeVerdict(verdict) }),
  }
}

/** `not_affected` needs a justification or an impact statement, `affected` an action statement. */
function writeReasons(verdict: VexVerdict): JsonObject {
  const { assessment, detail, justification, responses } = verdict
  const hasMore = responses.length > 0 || justification !== undefined
  switch (assessment) {
    case 'NotAffected':
    case 'FalsePositive':
      return reasonsNotAffected(verdict)
    case 'Exploitable':
      return {
        action_statement: detail ?? NO_ACTION,
        ...(hasMore && { status_notes: describeVerdict(verdict) }),
      }
    case 'Resolved':
    case 'InTriage': {
      const notes = joinTexts([detail, hasMore ? describeVerdict(verdict) : undefined])
      return notes === undefined ? {} : { status_notes: notes }
    }
  }
}

const MEMBERS = [
  '@id',
  'version',
  'last_updated',
  'supplier',
  'justification',
  'impact_statement',
  'action_statement',
  'action_statement_timestamp',
] as const

/** The received statement in the form of 0.2.0, with the members it inherited from its document. */
function receivedStatement(
  verdict: VexVerdict,
  original: JsonObject,
  product: ExportedThing,
): JsonObject {
  const { vulnerability, status, timestamp, status_notes: notes, ...others } = original
  const kept = MEMBERS.flatMap((name) => {
    const value = others[name]
    return value === undefined || value === null || value === '' ? [] : [[name, value] as const]
  })
  const known: ReadonlySet<string> = new Set([...MEMBERS, 'products', 'subcomponents'])
  const unknown = Object.entries(others).flatMap(([name, value]) =>
    known.has(name) || !isText(value) ? [] : value,
  )
  const allNotes = joinTexts([notes, ...unknown])
  const members: JsonObject = Object.fromEntries(kept)
  return {
    vulnerability: {
      name: verdict.vulnerability,
      ...(isObject(vulnerability) && vulnerability),
    },
    timestamp: readText(timestamp) ?? verdict.statedAt,
    products: receivedProducts(original, verdict, product),
    status,
    ...members,
    ...missingReason(status, members, allNotes),
    ...(allNotes !== undefined && { status_notes: allNotes }),
  }
}

/** Members that 0.2.0 requires and that older documents and tools leave out. */
function missingReason(status: unknown, members: JsonObject, notes: string | undefined) {
  const { justification, impact_statement: impact, action_statement: action } = members
  if (status === 'affected' && action === undefined) return { action_statement: notes ?? NO_ACTION }
  if (status === 'not_affected' && justification === undefined && impact === undefined)
    return { impact_statement: notes ?? NO_REASON }
  return {}
}

/** The named products, and the product it was received for if missing. */
function receivedProducts(
  original: JsonObject,
  verdict: VexVerdict,
  product: ExportedThing,
): JsonObject[] {
  const { products, subcomponents } = original
  const shared: unknown[] = Array.isArray(subcomponents) ? subcomponents : []
  const list: unknown[] = Array.isArray(products) ? products : []
  const named = list.flatMap((one): JsonObject[] => {
    if (isObject(one)) return [one]
    if (!isText(one) || one === '') return []
    const parts = shared.filter(isText).map((part) => ({ '@id': part }))
    return [{ '@id': one, ...(parts.length > 0 && { subcomponents: parts }) }]
  })
  const own = writeProduct(verdict, product)
  const isNamed = named.some((one) => one['@id'] === own['@id'])
  const all = isNamed ? named : [...named, own]
  return removeEqual(all)
}
