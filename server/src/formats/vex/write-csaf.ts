/** CSAF 2.0, profile VEX (section 4.5). https://docs.oasis-open.org/csaf/csaf/v2.0/os/csaf-v2.0-os.html */
import type { JsonObject } from '../sboms/json-values.ts'
import { formatName, writeFullName, writePublisher, writeVulnerabilityName } from './csaf-parts.ts'
import {
  addReceivedTree,
  addReceivedVulnerability,
  nameProductPrefixes,
  type CsafTree,
} from './csaf-received.ts'
import { removeEqual, type ExportedThing, type VexExport, type VexVerdict } from './export.ts'
import { joinTexts } from './reading.ts'
import { FALSE_POSITIVE, NO_ACTION, NO_DETAIL, NO_REASON, describeVerdict } from './words.ts'
import { AS_OPENVEX, isOpenVexJustification, type VexResponse } from './vocabulary.ts'

export function writeCsaf(input: VexExport) {
  const { verdicts } = input
  const prefixes = nameProductPrefixes(verdicts)
  const byVulnerability = Map.groupBy(verdicts, ({ vulnerability }) => vulnerability)
  return {
    document: writeDocument(input),
    product_tree: productTree(input, prefixes),
    // One item per id (section 6.1.23: a CVE is not used twice).
    vulnerabilities: [...byVulnerability].map(([id, group]) =>
      writeVulnerability(id, group, input, prefixes),
    ),
  }
}

function writeDocument({ id, publisher, statedAt, tool, product }: VexExport): JsonObject {
  return {
    category: 'csaf_vex',
    csaf_version: '2.0',
    lang: 'en',
    publisher: writePublisher(publisher),
    title: `VEX of ${formatName(product)}`,
    tracking: {
      id: `vex-${id}`,
      status: 'final',
      version: '1',
      initial_release_date: statedAt,
      current_release_date: statedAt,
      revision_history: [{ number: '1', date: statedAt, summary: 'As assessed at this time.' }],
      generator: { date: statedAt, engine: { name: tool.name, version: tool.version } },
    },
  }
}

function productTree({ product, verdicts }: VexExport, prefixes: ReadonlyMap<string, string>) {
  const components = new Map(
    verdicts.flatMap((verdict) => verdict.components).map((one) => [one.ref, one]),
  )
  const sorted = [...components.values()].toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
  const tree: CsafTree = {
    branches: [],
    full_product_names: [product, ...sorted].map(writeFullName),
    product_groups: [],
    relationships: sorted.map((component) => ({
      category: 'default_component_of',
      product_reference: component.ref,
      relates_to_product_reference: product.ref,
      full_product_name: {
        product_id: partId(component),
        name: `${formatName(component)} as part of ${formatName(product)}`,
      },
    })),
  }
  addReceivedTree(tree, verdicts, prefixes)
  const filled = (Object.keys(tree) as (keyof CsafTree)[]).filter((name) => tree[name].length > 0)
  return Object.fromEntries(filled.map((name) => [name, tree[name]]))
}

function partId({ ref }: ExportedThing): string {
  return `${ref}:in-product`
}

function productIds({ components }: VexVerdict, product: ExportedThing): string[] {
  return components.length === 0 ? [product.ref] : components.map(partId)
}

const STATUSES = {
  NotAffected: 'known_not_affected',
  FalsePositive: 'known_not_affected',
  Exploitable: 'known_affected',
  Resolved: 'fixed',
  InTriage: 'under_investigation',
} as const

interface Item {
  notes: JsonObject[]
  flags: JsonObject[]
  threats: JsonObject[]
  remediations: JsonObject[]
  product_status: Record<string, string[]>
}

function writeVulnerability(
  id: string,
  verdicts: readonly VexVerdict[],
  { product, statedAt: documentStatedAt }: VexExport,
  prefixes: ReadonlyMap<string, string>,
): JsonObject {
  const [title] = verdicts.flatMap((verdict) => verdict.title ?? [])
  const item: Item = { notes: [], flags: [], threats: [], remediations: [], product_status: {} }
  item.notes.push({ category: 'description', text: title ?? id, title: 'Summary' })
  for (const verdict of verdicts)
    addVerdict(item, verdict, { ids: productIds(verdict, product), documentStatedAt })
  const received = addReceivedVulnerability(
    { ...writeVulnerabilityName(id), ...item },
    verdicts,
    prefixes,
  )
  const members: JsonObject = {}
  for (const [name, value] of Object.entries(received)) {
    const member = Array.isArray(value) ? removeEqual<unknown>(value) : value
    if (!Array.isArray(member) || member.length > 0) members[name] = member
  }
  return members
}

interface About {
  ids: string[]
  documentStatedAt: string
}

function addVerdict(item: Item, verdict: VexVerdict, about: About): void {
  const { assessment, received } = verdict
  const { ids } = about
  const status = STATUSES[assessment]
  const known = item.product_status[status] ?? []
  item.product_status[status] = [...new Set([...known, ...ids])]
  if (status === 'known_not_affected') addReason(item, verdict, ids)
  else {
    if (status === 'known_affected') addActions(item, verdict, ids)
    addDetails(item, verdict, about)
  }
  if (received && received.format !== 'Csaf')
    item.notes.push({
      category: 'other',
      title: `Original statement (${received.format})`,
      text: JSON.stringify(received.original),
    })
}

/** A threat is the only place that has a product, a text and a date for every status. */
function addDetails(item: Item, verdict: VexVerdict, { ids, documentStatedAt }: About): void {
  const { assessment, detail, justification, responses, statedAt } = verdict
  const isExact = justification === undefined && responses.length === 0
  const said =
    assessment === 'Exploitable'
      ? undefined
      : joinTexts([detail, isExact ? undefined : describeVerdict(verdict)])
  if (said === undefined && statedAt === documentStatedAt) return
  const details = said ?? NO_DETAIL
  item.threats.push({ category: 'impact', details, date: statedAt, product_ids: ids })
}

function asOpenVex(justification: VexVerdict['justification']) {
  if (justification === undefined || isOpenVexJustification(justification)) return justification
  return AS_OPENVEX[justification]
}

/** `known_not_affected` needs a flag or an impact statement (section 4.5). */
function addReason(item: Item, verdict: VexVerdict, ids: string[]): void {
  const { assessment, justification, detail, statedAt, responses } = verdict
  const label = asOpenVex(justification)
  if (label !== undefined) item.flags.push({ label, date: statedAt, product_ids: ids })
  const isFalsePositive = assessment === 'FalsePositive'
  const isExact = label === justification && !isFalsePositive && responses.length === 0
  const reason = joinTexts([
    detail ?? (isFalsePositive ? FALSE_POSITIVE : undefined),
    isExact ? undefined : describeVerdict(verdict),
  ])
  if (reason !== undefined || label === undefined)
    item.threats.push({
      category: 'impact',
      details: reason ?? NO_REASON,
      date: statedAt,
      product_ids: ids,
    })
  if (!isExact)
    item.notes.push({ category: 'other', title: 'As assessed', text: describeVerdict(verdict) })
}

const REMEDIATIONS: Readonly<Record<VexResponse, string>> = {
  update: 'vendor_fix',
  rollback: 'mitigation',
  workaround_available: 'workaround',
  will_not_fix: 'no_fix_planned',
  can_not_fix: 'none_available',
}

/** `known_affected` needs an action statement (section 4.5). */
function addActions(item: Item, verdict: VexVerdict, ids: string[]): void {
  const { responses, detail, justification, statedAt } = verdict
  const categories = new Set(responses.map((response) => REMEDIATIONS[response]))
  const action = detail ?? NO_ACTION
  const isExact =
    responses.length > 0 && !responses.includes('rollback') && justification === undefined
  for (const category of categories.size === 0 ? ['none_available'] : categories)
    item.remediations.push({
      category,
      details: isExact ? action : `${action}\n\n${describeVerdict(verdict)}`,
      date: statedAt,
      product_ids: ids,
    })
}
