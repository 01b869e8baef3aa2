/** CycloneDX 1.6 with `vulnerabilities` alone. https://cyclonedx.org/docs/1.6/json/ */
import { isObject, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import { formatBomLink, JUSTIFICATION_PROPERTY } from './cyclonedx-vex.ts'
import {
  removeEqual,
  type ExportedThing,
  type ReceivedStatement,
  type VexExport,
  type VexVerdict,
} from './export.ts'
import { AS_CYCLONEDX, isCycloneDxJustification, isVexResponse } from './vocabulary.ts'

/** A property of this service. */
const ORIGINAL = 'plimsoll:vex:original'

export function writeCycloneDxVex(input: VexExport) {
  const { id, publisher, statedAt, tool, product, verdicts } = input
  const components = new Map(
    verdicts.flatMap((verdict) => verdict.components).map((one) => [one.ref, one]),
  )
  const uniqueRefs = new Set([product.ref, ...components.keys()])
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: {
      timestamp: statedAt,
      tools: { components: [{ type: 'application', name: tool.name, version: tool.version }] },
      manufacturer: { name: publisher.name },
      component: { type: 'firmware', ...writeComponent(product) },
    },
    components: [...components.values()]
      .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
      .map((one) => ({ type: 'library', ...writeComponent(one) })),
    vulnerabilities: removeEqual(
      verdicts.map((verdict) => {
        const { received } = verdict
        const refs = verdict.components.length === 0 ? [product] : verdict.components
        const affects = refs.map(({ ref }) => ({ ref }))
        return received?.format === 'CycloneDx'
          ? receivedVulnerability({ verdict, received, affects, uniqueRefs })
          : ownVulnerability(verdict, affects)
      }),
    ),
  }
}

function writeComponent({ ref, name, version, purl, cpe, artifact }: ExportedThing): JsonObject {
  return {
    'bom-ref': ref,
    name,
    ...(version !== undefined && { version }),
    ...(artifact && { hashes: [{ alg: 'SHA-256', content: artifact.sha256 }] }),
    purl,
    ...(cpe !== undefined && { cpe }),
  }
}

export const STATES = {
  NotAffected: 'not_affected',
  FalsePositive: 'false_positive',
  Exploitable: 'exploitable',
  Resolved: 'resolved',
  InTriage: 'in_triage',
} as const

function ownVulnerability(verdict: VexVerdict, affects: JsonObject[]): JsonObject {
  const { vulnerability, title, assessment, justification, detail, responses, statedAt } = verdict
  const word =
    justification === undefined || isCycloneDxJustification(justification)
      ? justification
      : AS_CYCLONEDX[justification]
  const properties = [
    ...(word === justification ? [] : [{ name: JUSTIFICATION_PROPERTY, value: justification }]),
    ...(verdict.received
      ? [{ name: ORIGINAL, value: JSON.stringify(verdict.received.original) }]
      : []),
  ]
  return {
    id: vulnerability,
    ...(title !== undefined && { description: title }),
    analysis: {
      state: STATES[assessment],
      ...(word !== undefined && { justification: word }),
      ...(responses.length > 0 && { response: responses }),
      ...(detail !== undefined && { detail }),
      lastUpdated: statedAt,
    },
    affects,
    ...(properties.length > 0 && { properties }),
  }
}

/** Members of `vulnerability` (CycloneDX 1.6), without those that are written here. */
const MEMBERS = (
  'id source references ratings cwes description detail recommendation workaround ' +
  'proofOfConcept advisories created published updated rejected credits tools properties'
).split(' ')

interface ReceivedVerdict {
  verdict: VexVerdict
  received: ReceivedStatement
  affects: JsonObject[]
  uniqueRefs: Set<string>
}

/** The received statement. Refs into its document become BOM-Links; without a serial number they become refs of this document. */
function receivedVulnerability({
  verdict,
  received,
  affects,
  uniqueRefs,
}: ReceivedVerdict): JsonObject {
  const { original, envelope } = received
  const link = formatBomLink(envelope)
  const named = listObjects(original['affects']).flatMap((one) => {
    const ref = readText(one['ref'])
    if (ref === undefined) return []
    if (ref.startsWith('urn:cdx:')) return [one]
    return link === undefined ? [] : [{ ...one, ref: `${link}#${ref}` }]
  })
  const ref = readText(original['bom-ref'])
  const isUnique = ref !== undefined && !uniqueRefs.has(ref)
  if (isUnique) uniqueRefs.add(ref)
  const all = [...named, ...affects]
  return {
    ...(isUnique && { 'bom-ref': ref }),
    ...Object.fromEntries(
      MEMBERS.flatMap((name) => (name in original ? [[name, original[name]]] : [])),
    ),
    analysis: receivedAnalysis(original['analysis'], verdict),
    affects: removeEqual(all),
  }
}

/** Leaves out words outside the standard, as reading did. */
function receivedAnalysis(analysis: unknown, { statedAt }: VexVerdict): JsonObject {
  if (!isObject(analysis)) return {}
  const { state, justification, response, detail, firstIssued, lastUpdated } = analysis
  const responses = Array.isArray(response) ? response.filter(isVexResponse) : []
  return {
    state,
    ...(isCycloneDxJustification(justification) && { justification }),
    ...(responses.length > 0 && { response: [...new Set(responses)] }),
    ...(typeof detail === 'string' && { detail }),
    ...(readText(firstIssued) !== undefined && { firstIssued }),
    lastUpdated: readText(lastUpdated) ?? statedAt,
  }
}
