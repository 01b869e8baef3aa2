/** What a CSAF document says, statement by statement, so that two revisions can be compared as people read them. */

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const memberOf = (value: unknown, name: string): Json => {
  const member = isObject(value) ? value[name] : undefined
  return isObject(member) ? member : {}
}

const STATUS_WORDS = [
  ['known_affected', 'affected'],
  ['under_investigation', 'not known yet'],
  ['fixed', 'fixed'],
  ['known_not_affected', 'not affected'],
] as const

const REMEDY_WORDS: Readonly<Record<string, string>> = {
  vendor_fix: 'update',
  workaround: 'workaround',
  mitigation: 'mitigation',
  no_fix_planned: 'no fix is planned',
  none_available: 'there is no remedy',
}

/** In the order of the document. */
export function listStatements(document: unknown): string[] {
  const csaf = isObject(document) ? document : {}
  const head = memberOf(csaf, 'document')
  const names = readNames(csaf['product_tree'])
  return [
    `Title: ${textOf(head['title'])}`,
    ...listOf(head['notes']).map((note) => `${textOf(note['title'])}: ${textOf(note['text'])}`),
    ...listOf(csaf['vulnerabilities']).flatMap((one) => listOfVulnerability(one, names)),
  ]
}

function listOfVulnerability(one: Json, names: ReadonlyMap<string, string>): string[] {
  const [named] = listOf(one['ids'])
  const id = textOf(one['cve']) || textOf(named?.['text'])
  const nameAll = (refs: unknown) => textsOf(refs).map((ref) => names.get(ref) ?? ref)
  const status = memberOf(one, 'product_status')
  const title = textOf(one['title'])
  return [
    ...(title === '' ? [] : [`${id}, title: ${title}`]),
    ...listOf(one['notes']).map(
      (note) => `${id}, ${textOf(note['title']).toLowerCase()}: ${textOf(note['text'])}`,
    ),
    ...listOf(one['threats']).map((threat) => `${id}, exploitation: ${textOf(threat['details'])}`),
    ...STATUS_WORDS.flatMap(([member, words]) =>
      nameAll(status[member]).map((name) => `${id}: ${name} is ${words}`),
    ),
    ...listOf(one['remediations']).flatMap((remedy) => {
      const kind = REMEDY_WORDS[textOf(remedy['category'])] ?? 'remedy'
      const said = [textOf(remedy['details']), textOf(remedy['url'])].filter(Boolean).join(' ')
      return nameAll(remedy['product_ids']).map((name) => `${id}: ${kind} for ${name}: ${said}`)
    }),
    ...listOf(one['scores']).flatMap((score) => {
      const vector =
        textOf(memberOf(score, 'cvss_v3')['vectorString']) ||
        textOf(memberOf(score, 'cvss_v2')['vectorString'])
      return nameAll(score['products']).map((name) => `${id}: CVSS of ${name} is ${vector}`)
    }),
    ...(textOf(memberOf(one, 'cwe')['id']) === ''
      ? []
      : [`${id}: weakness ${textOf(memberOf(one, 'cwe')['id'])}`]),
  ]
}

function readNames(tree: unknown): Map<string, string> {
  const names = new Map<string, string>()
  const add = (product: unknown) => {
    if (isObject(product)) names.set(textOf(product['product_id']), textOf(product['name']))
  }
  const enter = (branches: unknown) => {
    for (const branch of listOf(branches)) {
      add(branch['product'])
      enter(branch['branches'])
    }
  }
  if (isObject(tree)) {
    enter(tree['branches'])
    listOf(tree['full_product_names']).forEach(add)
  }
  return names
}

export interface Difference {
  /** What only the later one says. */
  added: string[]
  /** What only the earlier one said. */
  gone: string[]
}

export function compareDocuments(earlier: unknown, later: unknown): Difference {
  const [before, after] = [listStatements(earlier), listStatements(later)]
  const [known, kept] = [new Set(before), new Set(after)]
  return {
    added: after.filter((one) => !known.has(one)),
    gone: before.filter((one) => !kept.has(one)),
  }
}
