/** CSAF 2.0, above all its profile VEX (section 4.5). https://docs.oasis-open.org/csaf/csaf/v2.0/os/csaf-v2.0-os.html */
import { isObject, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import { type CsafProducts, readProductTree } from './csaf-products.ts'
import { VexError, type VexDocument, type VexFault, type VexStatement } from './model.ts'
import { readEntries, joinTexts, listTexts, readTime, normaliseVulnerabilityId } from './reading.ts'
import {
  CSAF_REMEDIATIONS,
  CSAF_STATUSES,
  isOpenVexJustification,
  type OpenVexJustification,
  type VexAssessment,
  type VexResponse,
} from './vocabulary.ts'

export function isCsaf({ document }: JsonObject): boolean {
  return isObject(document) && readText(document['csaf_version']) !== undefined
}

export function readCsaf(csaf: JsonObject): VexDocument {
  const faults: VexFault[] = []
  const { vulnerabilities, ...envelope } = csaf
  const document = isObject(csaf['document']) ? csaf['document'] : {}
  const specVersion = readText(document['csaf_version'])
  if (specVersion !== undefined && !/^2\.\d+$/.test(specVersion))
    throw new VexError(`CSAF ${specVersion} is not read, only 2.0.`, '/document/csaf_version')
  const tracking = isObject(document['tracking']) ? document['tracking'] : {}
  const publisher = isObject(document['publisher']) ? document['publisher'] : {}
  const statedAt =
    readTime(tracking['current_release_date']) ?? readTime(tracking['initial_release_date'])
  const products = readProductTree(csaf['product_tree'])
  const spend = budget(MOST_CHARACTERS)
  const found = readEntries(vulnerabilities, '/vulnerabilities', faults)
  return {
    format: 'Csaf',
    specVersion,
    id: readText(tracking['id']),
    author: readText(publisher['name']),
    statedAt,
    envelope,
    entries: found.map(({ entry }) => entry),
    statements: found.flatMap(({ entry, pointer }, index) =>
      readVulnerability(entry, { pointer, entry: index, statedAt, products, faults, spend }),
    ),
    faults,
  }
}

/** Groups repeat remarks for each of their products: without a limit, a small document could become very large. */
const MOST_CHARACTERS = 50_000_000
const CHARACTERS_OF_AN_ID = 20

function budget(most: number): (characters: number) => void {
  let left = most
  return (characters) => {
    left -= characters
    if (left < 0) throw new VexError('The document says too much of too many products to be read.')
  }
}

interface Place {
  pointer: string
  entry: number
  statedAt: string | undefined
  products: CsafProducts
  faults: VexFault[]
  spend: (characters: number) => void
}

/** The remarks about one product, in addition to its status. */
interface Remarks {
  justification: OpenVexJustification | undefined
  detail: string | undefined
  responses: VexResponse[]
  /** When it was assessed; undefined: with the document. */
  assessedAt: string | undefined
}

/** One statement for all products with the same status and remarks. */
function readVulnerability(vulnerability: JsonObject, place: Place): VexStatement[] {
  const { pointer, entry, products, faults } = place
  const names = readNames(vulnerability)
  if (names === undefined) {
    faults.push({ pointer, detail: 'names no vulnerability' })
    return []
  }
  const statements = new Map<string, VexStatement>()
  const status = vulnerability['product_status']
  const groups = isObject(status) ? Object.entries(status) : []
  const remarksOf = remarksReader(vulnerability, place)
  for (const [group, ids] of groups) {
    const assessment = CSAF_STATUSES.get(group)
    if (assessment === undefined) continue
    for (const id of new Set(listTexts(ids))) {
      const product = products.productOf(id)
      const { assessedAt, ...remarks } = remarksOf(id, assessment)
      const key = JSON.stringify([assessment, remarks, assessedAt])
      const statedAt = assessedAt ?? place.statedAt
      const known = statements.get(key)
      const statement = known ?? {
        pointer,
        entry,
        ...names,
        products: [],
        assessment,
        ...remarks,
        statedAt,
      }
      if (!known) statements.set(key, statement)
      if (product) statement.products.push(product)
      else
        faults.push({
          pointer: `${pointer}/product_status/${group}`,
          detail: `names the product ${JSON.stringify(id.slice(0, 100))}, which the product tree lacks`,
        })
    }
  }
  return [...statements.values()].filter((statement) => statement.products.length > 0)
}

function readNames(vulnerability: JsonObject) {
  const ids = listObjects(vulnerability['ids']).flatMap(({ text }) => readText(text) ?? [])
  const [first, ...others] = [readText(vulnerability['cve']) ?? [], ids].flat()
  return first === undefined
    ? undefined
    : {
        vulnerability: normaliseVulnerabilityId(first),
        aliases: others.map(normaliseVulnerabilityId),
      }
}

/** If a product is not affected or already fixed, remedies are not part of the detail of its verdict. */
function isOpen(assessment: VexAssessment): boolean {
  return assessment === 'Exploitable' || assessment === 'InTriage'
}

function readJustification(flag: JsonObject | undefined): Remarks['justification'] {
  const label = flag?.['label']
  return isOpenVexJustification(label) ? label : undefined
}

function readResponses(remedies: readonly JsonObject[]): Remarks['responses'] {
  return [...new Set(remedies.flatMap(({ category }) => CSAF_REMEDIATIONS.get(category) ?? []))]
}

/** The dates of flags and threats say when the assessment was done (sections 3.2.3.5.1, .14.2); those of remedies do not. */
function newestDateIn(remarks: readonly (JsonObject | undefined)[]): string | undefined {
  return remarks
    .flatMap((remark) => readTime(remark?.['date']) ?? [])
    .toSorted()
    .at(-1)
}

/** Flags, threats and remediations apply to the products and groups they name (sections 3.2.3.5, .12, .14). */
function remarksReader(vulnerability: JsonObject, { products: { productsOfGroup }, spend }: Place) {
  const lists = ['flags', 'threats', 'remediations'] as const
  const spent = (ids: string[]) => {
    spend(ids.length * CHARACTERS_OF_AN_ID)
    return ids
  }
  const [flags, threats, remediations] = lists.map((name) => {
    const byProduct = new Map<string, JsonObject[]>()
    for (const remark of listObjects(vulnerability[name])) {
      const ids = new Set(listTexts(remark['product_ids']))
      for (const group of new Set(listTexts(remark['group_ids'])))
        for (const id of spent(productsOfGroup(group))) ids.add(id)
      for (const id of spent([...ids])) {
        const known = byProduct.get(id)
        if (known) known.push(remark)
        else byProduct.set(id, [remark])
      }
    }
    return (id: string) => byProduct.get(id) ?? []
  })
  return (id: string, assessment: VexAssessment): Remarks => {
    const label = flags?.(id).find((flag) => isOpenVexJustification(flag['label']))
    const impacts = (threats?.(id) ?? []).filter(({ category }) => category === 'impact')
    const remedies = remediations?.(id) ?? []
    const remarks = impacts.length === 0 || isOpen(assessment) ? [...impacts, ...remedies] : impacts
    const detail = joinTexts(remarks.map(({ details }) => details))
    spend(detail?.length ?? 0)
    return {
      justification: assessment === 'NotAffected' ? readJustification(label) : undefined,
      detail,
      responses: readResponses(remedies),
      assessedAt: newestDateIn([label]) ?? newestDateIn(impacts),
    }
  }
}
