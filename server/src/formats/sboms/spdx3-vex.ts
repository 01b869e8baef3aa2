/** SPDX 3.0.1, model Security: the relationships by which a document states VEX. */
import { joinTexts, listTexts, readTime, normaliseVulnerabilityId } from '../vex/reading.ts'
import type { VexStatement } from '../vex/model.ts'
import { SPDX3_JUSTIFICATIONS, SPDX3_VEX_CLASSES, type VexAssessment } from '../vex/vocabulary.ts'
import { readNotesVerdict } from './cve-status.ts'
import { referTo } from './document.ts'
import { isObject, listObjects, readText, type JsonObject } from './json-values.ts'
import { readList, readReference, chooseIdSpace, type Spdx3Reading } from './spdx3-reading.ts'
import { noteStatement } from './statements.ts'
import { quote } from './warnings.ts'

/** Collects the statement if the relationship is one. */
export function noteSpdx3Statement(relationship: JsonObject, reading: Spdx3Reading): void {
  const assessment = SPDX3_VEX_CLASSES.get(relationship['type'] ?? relationship['@type'])
  if (assessment === undefined || readTime(relationship['security_withdrawnTime'])) return
  const { draft } = reading
  const from = readReference(relationship['from'], reading)
  const vulnerability = from === undefined ? undefined : reading.byId.get(from)
  const [name, ...aliases] = listNames(vulnerability, from)
  if (name === undefined) {
    draft.faults.add('VEX statement that names no vulnerability', quote(from))
    return
  }
  // An assessed element inside the target of the relationship is the part that is meant.
  const assessed = readList(relationship['security_assessedElement'])
  const targets = (assessed.length > 0 ? assessed : readList(relationship['to'])).flatMap(
    (target) => readReference(target, reading) ?? [],
  )
  noteStatement(draft, {
    format: 'Spdx3',
    statement: {
      pointer: readText(relationship['spdxId']) ?? '',
      entry: 0,
      vulnerability: name,
      aliases,
      products: targets.map((ref) => ({
        ref,
        purls: [],
        cpes: [],
        versions: [],
        subcomponents: [],
      })),
      ...verdictIn(relationship, assessment),
      justification: SPDX3_JUSTIFICATIONS.get(
        lastSegment(relationship['security_justificationType']),
      ),
      detail: joinTexts([
        relationship['security_impactStatement'],
        relationship['security_actionStatement'],
        relationship['security_statusNotes'],
      ]),
      statedAt: statedAt(relationship, reading),
    },
    original: { '@graph': vulnerability ? [relationship, vulnerability] : [relationship] },
    elements: targets.map((id) => ({
      element: referTo(draft, chooseIdSpace(id, reading), id),
      versions: [],
    })),
  })
}

/** Yocto states what its recipes ignore as not affected; the notes begin with the reason. */
function verdictIn(
  relationship: JsonObject,
  stated: VexAssessment,
): Pick<VexStatement, 'assessment' | 'responses'> {
  const notes = readText(relationship['security_statusNotes'])
  const ignored = stated === 'NotAffected' ? readNotesVerdict(notes) : undefined
  return { assessment: ignored?.assessment ?? stated, responses: ignored?.responses ?? [] }
}

/** Terms of a vocabulary may be written as IRIs. */
function lastSegment(term: unknown): string | undefined {
  return readText(term)?.split('/').at(-1)
}

/** The names, CVE id first; the element's own id may end with a CVE id, as Yocto's do. */
function listNames(vulnerability: JsonObject | undefined, id: string | undefined): string[] {
  const identifiers = listObjects(readList(vulnerability?.['externalIdentifier']))
  const isCve = ({ externalIdentifierType }: JsonObject) =>
    lastSegment(externalIdentifierType) === 'cve'
  const named = identifiers.toSorted((a, b) => Number(isCve(b)) - Number(isCve(a)))
  const [, inId] = /(?:^|[/#:])(CVE-\d{4}-\d{4,})$/i.exec(id ?? '') ?? []
  const names = [
    ...listTexts(named.map(({ identifier }) => identifier)),
    ...listTexts([vulnerability?.['name'], inId]),
  ]
  return [...new Set(names.map(normaliseVulnerabilityId))]
}

function statedAt(relationship: JsonObject, reading: Spdx3Reading): string | undefined {
  const { creationInfo } = relationship
  const known = readReference(creationInfo, reading)
  const info = isObject(creationInfo) ? creationInfo : reading.byId.get(known ?? '')
  return (
    readTime(relationship['security_modifiedTime']) ??
    readTime(relationship['security_publishedTime']) ??
    readTime(info?.['created'])
  )
}
