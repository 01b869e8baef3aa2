/**
 * CSAF 2.0, profile Security Advisory (section 4.4): what is told to users about vulnerabilities of products.
 * https://docs.oasis-open.org/csaf/csaf/v2.0/os/csaf-v2.0-os.html
 */
import { findWeaknessName } from '../advisories/cwe-names.ts'
import { rateScore } from '../advisories/severity.ts'
import { readBaseVector } from '../cvss.ts'
import { formatPurl, parsePurl } from '../purl.ts'
import type { JsonObject } from '../sboms/json-values.ts'
import { isCve, writeFullName, writePublisher, writeVulnerabilityName } from './csaf-parts.ts'
import type { ExportedThing, VexPublisher } from './export.ts'
import { NO_ACTION } from './words.ts'

export const PRODUCT_STATUSES = [
  'KnownAffected',
  'KnownNotAffected',
  'Fixed',
  'UnderInvestigation',
] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

export const REMEDIATION_KINDS = [
  'VendorFix',
  'Workaround',
  'Mitigation',
  'NoFixPlanned',
  'NoneAvailable',
] as const
export type RemediationKind = (typeof REMEDIATION_KINDS)[number]

export interface AdvisoryProduct extends ExportedThing {
  version: string
  manufacturer: string
  productLine: string | undefined
}

interface AdvisoryRemediation {
  kind: RemediationKind
  details: string
  url: string | undefined
  /** At least one. */
  refs: readonly string[]
}

export interface AdvisoryVulnerability {
  vulnerability: string
  title: string | undefined
  description: string
  /** What is known of its exploitation. */
  exploitation: string | undefined
  /** Of CVSS 2.0, 3.0 or 3.1: this standard knows no other. */
  cvssVector: string | undefined
  /** `CWE-79`. */
  cweId: string | undefined
  /** By the `ref` of a product; at least one. */
  statuses: ReadonlyMap<string, ProductStatus>
  remediations: readonly AdvisoryRemediation[]
}

interface AdvisoryRevision {
  date: string
  summary: string
}

export interface Advisory {
  trackingId: string
  /** What is not published says so, and who may see it. */
  isDraft: boolean
  publisher: VexPublisher
  title: string
  summary: string
  details: string | undefined
  /** Oldest first, at least one. The last one is this document. */
  revisions: readonly AdvisoryRevision[]
  tool: { name: string; version: string }
  /** Where it is published. */
  url: string | undefined
  products: readonly AdvisoryProduct[]
  vulnerabilities: readonly AdvisoryVulnerability[]
}

export function writeAdvisory(advisory: Advisory): JsonObject {
  const { details, products, vulnerabilities } = advisory
  return {
    document: {
      ...writeHead(advisory, 'csaf_security_advisory'),
      notes: [
        { category: 'summary', title: 'Summary', text: advisory.summary },
        ...(details === undefined
          ? []
          : [{ category: 'details', title: 'Details', text: details }]),
      ],
    },
    product_tree: writeTree(products),
    vulnerabilities: vulnerabilities.map(writeVulnerability),
  }
}

/**
 * The last word of an advisory that says nothing any more. CSAF 2.0 has no category for it, and a security advisory has to
 * say something of a product; so it is of the profile CSAF Base (section 4.1).
 */
export function writeWithdrawal(advisory: Advisory, reason: string): JsonObject {
  const { title } = advisory
  return {
    document: {
      ...writeHead({ ...advisory, title: `Withdrawn: ${title}` }, 'csaf_base'),
      notes: [
        {
          category: 'summary',
          title: 'Withdrawn',
          text: `This advisory is withdrawn: nothing that earlier revisions say holds any more.\n\n${reason}`,
        },
      ],
    },
  }
}

function writeHead(advisory: Advisory, category: string): JsonObject {
  const { trackingId, isDraft, publisher, title, tool, url, revisions } = advisory
  const dates = revisions.map(({ date }) => date)
  const [first = ''] = dates
  const last = dates.at(-1) ?? first
  return {
    category,
    csaf_version: '2.0',
    distribution: { tlp: { label: isDraft ? 'AMBER' : 'WHITE' } },
    publisher: writePublisher(publisher),
    ...(url !== undefined && {
      references: [{ category: 'self', summary: 'This document', url }],
    }),
    title,
    tracking: {
      id: trackingId,
      status: isDraft ? 'draft' : 'final',
      version: String(revisions.length),
      initial_release_date: first,
      current_release_date: last,
      revision_history: revisions.map(({ date, summary }, index) => ({
        number: String(index + 1),
        date,
        summary,
      })),
      generator: { date: last, engine: { name: tool.name, version: tool.version } },
    },
  }
}

/** A version must not read as a range (section 6.1.31). Such a product stands outside of the branches. */
const RANGE_WORDS = /[<>]|after|all|before|earlier|later|prior|versions/i

interface Branch extends JsonObject {
  category: string
  name: string
  branches?: Branch[]
}

function writeTree(products: readonly AdvisoryProduct[]): JsonObject {
  const branches: Branch[] = []
  const others: JsonObject[] = []
  for (const product of products) {
    const { manufacturer, productLine, name, version } = product
    const named = writeFullName(withSoundPurl(product))
    if (version === '' || RANGE_WORDS.test(version)) {
      others.push(named)
      continue
    }
    const path = [
      { category: 'vendor', name: manufacturer },
      ...(productLine === undefined ? [] : [{ category: 'product_family', name: productLine }]),
      { category: 'product_name', name },
    ]
    let level = branches
    for (const step of path) level = enterBranch(level, step)
    level.push({ category: 'product_version', name: version, product: named })
  }
  return {
    ...(branches.length > 0 && { branches }),
    ...(others.length > 0 && { full_product_names: others }),
  }
}

function enterBranch(level: Branch[], step: { category: string; name: string }): Branch[] {
  const known = level.find((one) => one.category === step.category && one.name === step.name)
  const inner = known?.branches ?? []
  if (!known) level.push({ ...step, branches: inner })
  return inner
}

/** People write them, and readers refuse documents with one that is wrong (section 6.1.13), or no URI. */
function withSoundPurl(product: AdvisoryProduct): ExportedThing {
  const purl = parsePurl(product.purl)
  return { ...product, purl: purl ? formatPurl(purl) : '' }
}

const STATUS_MEMBERS: Readonly<Record<ProductStatus, string>> = {
  KnownAffected: 'known_affected',
  KnownNotAffected: 'known_not_affected',
  Fixed: 'fixed',
  UnderInvestigation: 'under_investigation',
}

const REMEDIATION_MEMBERS: Readonly<Record<RemediationKind, string>> = {
  VendorFix: 'vendor_fix',
  Workaround: 'workaround',
  Mitigation: 'mitigation',
  NoFixPlanned: 'no_fix_planned',
  NoneAvailable: 'none_available',
}

function writeVulnerability(given: AdvisoryVulnerability): JsonObject {
  const { vulnerability, title, description, exploitation, statuses } = given
  const weakness = given.cweId === undefined ? undefined : findWeaknessName(given.cweId)
  const scores = listScores(given)
  const byStatus = Map.groupBy(statuses, ([, status]) => status)
  const remediations = listRemediations(given)
  return {
    ...writeVulnerabilityName(vulnerability),
    ...(title !== undefined && { title }),
    ...(weakness !== undefined && { cwe: { id: given.cweId, name: weakness } }),
    notes: [{ category: 'description', title: 'Description', text: description }],
    product_status: Object.fromEntries(
      PRODUCT_STATUSES.flatMap((status) => {
        const refs = byStatus.get(status)?.map(([ref]) => ref)
        return refs ? [[STATUS_MEMBERS[status], refs]] : []
      }),
    ),
    ...(isCve(vulnerability) && {
      references: [
        {
          category: 'external',
          summary: `${vulnerability} in the CVE List`,
          url: `https://www.cve.org/CVERecord?id=${vulnerability}`,
        },
      ],
    }),
    ...(remediations.length > 0 && {
      remediations: remediations.map(({ kind, details, url, refs }) => ({
        category: REMEDIATION_MEMBERS[kind],
        details,
        ...(url !== undefined && { url }),
        product_ids: [...new Set(refs)],
      })),
    }),
    ...(scores.length > 0 && { scores }),
    ...(exploitation !== undefined && {
      threats: [{ category: 'exploit_status', details: exploitation }],
    }),
  }
}

/** A score is of products (section 3.2.3.13): of those that are affected, or may be. */
function listScores({ cvssVector, statuses }: AdvisoryVulnerability): JsonObject[] {
  const read = cvssVector === undefined ? undefined : readBaseVector(cvssVector)
  const products = [...statuses].flatMap(([ref, status]) =>
    status === 'KnownAffected' || status === 'UnderInvestigation' ? [ref] : [],
  )
  if (!read || products.length === 0) return []
  const { version, vectorString, score: baseScore } = read
  if (version === '2.0') return [{ products, cvss_v2: { version, vectorString, baseScore } }]
  const severity = rateScore(version, baseScore).toUpperCase()
  return [{ products, cvss_v3: { version, vectorString, baseScore, baseSeverity: severity } }]
}

/** Affected products of which nobody has said what users can do. */
export function listWithoutRemediation(
  given: Pick<AdvisoryVulnerability, 'statuses' | 'remediations'>,
): string[] {
  const remedied = new Set(given.remediations.flatMap(({ refs }) => refs))
  return [...given.statuses].flatMap(([ref, status]) =>
    status === 'KnownAffected' && !remedied.has(ref) ? [ref] : [],
  )
}

/** Each affected product has one, even if it says that there is none. */
function listRemediations(given: AdvisoryVulnerability): readonly AdvisoryRemediation[] {
  const refs = listWithoutRemediation(given)
  if (refs.length === 0) return given.remediations
  const none = { kind: 'NoneAvailable', details: NO_ACTION, url: undefined, refs } as const
  return [...given.remediations, none]
}

/** Section 5.1. */
export function nameCsafFile(trackingId: string): string {
  return `${trackingId.toLowerCase().replaceAll(/[^+\-a-z0-9]+/g, '_')}.json`
}
