/** What people write of an advisory, and what is still missing before it can be published. */
import {
  type AdvisoryProduct,
  type AdvisoryVulnerability,
  listWithoutRemediation,
  type ProductStatus,
  type RemediationKind,
} from '../../formats/vex/write-advisory.ts'

/** A firmware version as it was called when the advisory got to know it. */
export interface NamedProduct {
  firmwareVersionId: string
  /** Empty: its firmware is in no product line. */
  manufacturer: string
  productLine: string | null
  firmware: string
  version: string
  purl: string | null
  cpe: string | null
}

export interface WrittenVulnerability {
  vulnerabilityId: string
  title: string | null
  description: string
  exploitation: string | null
  cvssVector: string | null
  cweId: string | null
  statuses: { firmwareVersionId: string; status: ProductStatus }[]
  remediations: {
    kind: RemediationKind
    details: string
    url: string | null
    firmwareVersionIds: string[]
  }[]
}

export interface AdvisoryContent {
  summary: string
  details: string | null
  vulnerabilities: WrittenVulnerability[]
  products: NamedProduct[]
}

/** The versions that anything is said of. */
export function listNamedVersions(vulnerabilities: readonly WrittenVulnerability[]): string[] {
  const ids = vulnerabilities.flatMap(({ statuses, remediations }) => [
    ...statuses.map(({ firmwareVersionId }) => firmwareVersionId),
    ...remediations.flatMap(({ firmwareVersionIds }) => firmwareVersionIds),
  ])
  return [...new Set(ids)]
}

const nameProduct = ({ firmware, version }: NamedProduct) => `${firmware} ${version}`

/** The products with an id that tells nothing of this service. Firmware of no product line is of the publisher. */
export function listProducts(
  products: readonly NamedProduct[],
  publisher: string,
): Map<string, AdvisoryProduct> {
  const refs = new Set<string>()
  return new Map(
    products.map((product) => {
      const named = product.purl ?? nameProduct(product)
      let ref = named
      for (let count = 2; refs.has(ref); count++) ref = `${named}~${count}`
      refs.add(ref)
      const { firmwareVersionId, firmware: name, version } = product
      const manufacturer = product.manufacturer === '' ? publisher : product.manufacturer
      const purl = product.purl ?? ''
      const cpe = product.cpe ?? undefined
      const productLine = product.productLine ?? undefined
      return [firmwareVersionId, { ref, manufacturer, productLine, name, version, purl, cpe }]
    }),
  )
}

export function listVulnerabilities(
  vulnerabilities: readonly WrittenVulnerability[],
  products: ReadonlyMap<string, AdvisoryProduct>,
): AdvisoryVulnerability[] {
  const refOf = (id: string) => products.get(id)?.ref ?? id
  return vulnerabilities.map((one) => ({
    vulnerability: one.vulnerabilityId,
    title: one.title ?? undefined,
    description: one.description,
    exploitation: one.exploitation ?? undefined,
    cvssVector: one.cvssVector ?? undefined,
    cweId: one.cweId ?? undefined,
    statuses: new Map(
      one.statuses.map(({ firmwareVersionId, status }) => [refOf(firmwareVersionId), status]),
    ),
    remediations: one.remediations.map(({ kind, details, url, firmwareVersionIds }) => ({
      kind,
      details,
      url: url ?? undefined,
      refs: firmwareVersionIds.map(refOf),
    })),
  }))
}

/** In words, as people read them; empty: it can be published. */
export function listMissing({ vulnerabilities, products }: AdvisoryContent): string[] {
  if (vulnerabilities.length === 0) return ['It names no vulnerability.']
  const names = new Map(products.map((one) => [one.firmwareVersionId, nameProduct(one)]))
  const read = listVulnerabilities(vulnerabilities, new Map())
  return read.flatMap((one) => {
    if (one.statuses.size === 0) return [`${one.vulnerability} says nothing of any version.`]
    return listWithoutRemediation(one).map(
      (id) =>
        `${one.vulnerability}: nothing is said of what users of ${names.get(id) ?? id} can do. If that is nothing, say so.`,
    )
  })
}

export const ADVISORY_STATES = ['Draft', 'Published', 'Changed', 'Withdrawn'] as const

export function decideState({
  revisions,
  isChanged,
}: {
  revisions: readonly { isWithdrawal: boolean }[]
  isChanged: boolean
}): (typeof ADVISORY_STATES)[number] {
  const last = revisions.at(-1)
  if (!last) return 'Draft'
  if (last.isWithdrawal) return 'Withdrawn'
  return isChanged ? 'Changed' : 'Published'
}
