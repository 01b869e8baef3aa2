/** What to declare so that a component is matched, or matched better. */
import { formatCpeKey } from '../../formats/advisories/keys.ts'
import { parseCpe, unquote } from '../../formats/cpe.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import { parsePurl } from '../../formats/purl.ts'
import type { KnownProduct } from './store.ts'

interface DeclaredComponent {
  packageName: string
  version: string | null
  purl: string | null
  cpes: readonly string[]
  builtFrom: { packageName: string } | null
}

/** Endings that tools add to the name of the software: west's `zlib-sources`, packages of headers. */
const ENDING = /[-_](?:sources?|src|deps|dev|devel|headers|static|module)$/

/** The names under which records may know the component's product. */
function listProductNames({ packageName, purl, cpes }: DeclaredComponent): string[] {
  const name = packageName.toLowerCase()
  const all = [
    name,
    parsePurl(purl ?? '')?.name.toLowerCase(),
    ...cpes.map((cpe) => unquote(parseCpe(cpe)?.product ?? '')),
  ].flatMap((text) => (text ? [text, text.replace(ENDING, '')] : []))
  const spelt = all.flatMap((text) => [text, text.replaceAll('-', '_'), text.replaceAll('_', '-')])
  return [...new Set(spelt)]
}

export function listProductKeys(declared: DeclaredComponent): string[] {
  return listProductNames(declared).flatMap((name) => formatCpeKey('*', name) ?? [])
}

export interface Situation {
  declared: DeclaredComponent
  notMatchedReason: string | null
  identity: PackageIdentity | undefined
  /** Whether a record in the store has any of the component's names. */
  isKnown: boolean
  /** Products that records call like the component. */
  products: readonly KnownProduct[]
}

export function writeAdvice(situation: Situation): string[] {
  const { identity, notMatchedReason, isKnown } = situation
  if (/^(?:scope |ignored|built from other components)/.test(notMatchedReason ?? '')) return []
  const missingVersion =
    notMatchedReason === 'version missing' || notMatchedReason === 'version is a commit'
  return [
    ...(missingVersion ? [versionAdvice(situation), ...moduleAdvice(situation)] : []),
    ...(missingVersion || isKnown ? [] : namesAdvice(situation)),
    ...releaseAdvice(identity),
  ]
}

function versionAdvice({ declared, products }: Situation): string {
  const [product] = products
  const named = product ? `, such as ${formatCpe(product, 'VERSION')}` : ''
  return `Declare the release of ${declared.packageName}, by a version or an identifier with one${named}, or state it by an override.`
}

/** The build writes `zlib-sources` and `zlib-deps` for the module zlib (west spdx). */
function moduleAdvice({ declared: { packageName, builtFrom } }: Situation): string[] {
  const module = builtFrom?.packageName ?? ''
  const isPart = [`${module}-sources`, `${module}-deps`].includes(packageName)
  if (module === '' || !isPart) return []
  return [
    `west spdx writes the purl and CPE that the zephyr/module.yml of ${module} lists under security, external-references: with the release there, the next build is matched.`,
  ]
}

function namesAdvice({ declared, products }: Situation): string[] {
  const version = declared.version ?? 'VERSION'
  if (products.length === 0)
    return [
      `No record in the store has a name of ${declared.packageName}. Declare a purl or CPE under which advisories know it, if there is one.`,
    ]
  return products.map(
    (product) =>
      `If it is ${product.key.slice('cpe:'.length)}, declare ${formatCpe(product, version)} to be matched by ${product.recordCount === 1 ? 'the record that names' : `${product.recordCount} records that name`} it so.`,
  )
}

function formatCpe({ key }: KnownProduct, version: string): string {
  const [, vendor = '*', product = '*'] = key.split(':')
  return `cpe:2.3:*:${vendor}:${product}:${version}:*:*:*:*:*:*:*`
}

function releaseAdvice(identity: PackageIdentity | undefined): string[] {
  const { distro } = identity ?? {}
  if (!distro || distro.release !== undefined) return []
  const word = distro.ecosystem.toLowerCase().replace(/ .*/, '')
  return [
    `Add the release to the purl (distro=${word}-…) to be matched by the records of one release of ${distro.ecosystem}.`,
  ]
}
