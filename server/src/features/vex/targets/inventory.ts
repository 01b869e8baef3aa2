/** A firmware version, its SBOMs and its components, indexed by the names that statements use. */
import { parseCpe } from '../../../formats/cpe.ts'
import { parsePurl, formatPurlKey } from '../../../formats/purl.ts'
import type { Hash } from '../../../formats/sboms/model.ts'
import { formatHashName } from '../../../formats/vex/hashes.ts'
import type { NamedProduct, ReadThing } from '../../../formats/vex/naming.ts'

export interface VersionRow {
  firmwareSlug: string
  firmwareName: string
  name: string
  purl: string
  cpe: string | null
  /** The hashes of its artifacts, the files that devices install. */
  hashes: string[]
}

export interface ComponentRow {
  sbomId: string
  node: number
  ref: string | null
  packageId: string | null
  packageName: string
  vendor: string | null
  version: string | null
  purl: string | null
  cpes: string[]
  hashes: Hash[]
  /** The SBOM describes exactly one thing, and this is it. */
  isRoot: boolean
  /** The source package or recipe that it is built from. */
  sourceName: string | null
  sourceVersion: string | null
}

export interface SbomRow {
  id: string
  namespace: string | null
  fileName: string
  format: string | null
  createdAt: Date
}

/** All names and versions of a package: a statement may use another name than the SBOM. */
export interface PackagePairs {
  packageId: string
  pairs: { key: string; version: string }[]
}

export interface Component {
  sbomId: string
  node: number
  packageId: string | undefined
  name: string
  declared: NamedProduct
  /** What it is built from. A source without a version has the component's own. */
  source: { name: string; version: string | undefined } | undefined
}

export interface Inventory {
  version: NamedProduct
  roots: Component[]
  namespaces: { sbomId: string; namespace: string }[]
  sboms: readonly SbomRow[]
  /** Components that may be meant; the caller compares them in detail. */
  candidatesFor: (thing: ReadThing) => Component[]
  /** The ids of packages with this key in this version. */
  packagesNamed: (key: string, version: string) => string[]
  componentsOf: (packageId: string) => Component[]
  components: Component[]
}

export function readInventory(
  version: VersionRow,
  sboms: readonly SbomRow[],
  rows: readonly ComponentRow[],
  packages: readonly PackagePairs[],
): Inventory {
  const namespaces = new Map(
    sboms.flatMap(({ id, namespace }) => (namespace ? [[id, namespace]] : [])),
  )
  const all = rows.map((row) => ({
    row,
    component: readComponent(row, namespaces.get(row.sbomId)),
  }))
  const index = new Map<string, Component[]>()
  for (const { component } of all)
    for (const key of keysOfDeclared(component.declared)) {
      const known = index.get(key)
      if (known) known.push(component)
      else index.set(key, [component])
    }
  const byPackage = Map.groupBy(
    all.map(({ component }) => component),
    ({ packageId }) => packageId,
  )
  const byPair = new Map<string, string[]>()
  for (const { packageId, pairs } of packages)
    for (const { key, version: text } of pairs) {
      const pair = `${key} ${text}`
      byPair.set(pair, [...(byPair.get(pair) ?? []), packageId])
    }
  return {
    version: declaredVersion(version),
    roots: all.flatMap(({ row, component }) => (row.isRoot ? [component] : [])),
    namespaces: [...namespaces].map(([sbomId, namespace]) => ({ sbomId, namespace })),
    sboms,
    candidatesFor: (thing) => [
      ...new Set(keysOfThing(thing).flatMap((key) => index.get(key) ?? [])),
    ],
    packagesNamed: (key, text) => byPair.get(`${key} ${text}`) ?? [],
    componentsOf: (packageId) => byPackage.get(packageId) ?? [],
    components: all.map(({ component }) => component),
  }
}

function declaredVersion({
  firmwareSlug,
  firmwareName,
  name,
  purl,
  cpe,
  hashes,
}: VersionRow): NamedProduct {
  return {
    refs: [],
    purl: parsePurl(purl),
    cpes: cpe === null ? [] : [parseCpe(cpe)].flatMap((one) => one ?? []),
    names: [firmwareSlug, firmwareName],
    version: name,
    hashes,
  }
}

function readComponent(row: ComponentRow, namespace: string | undefined): Component {
  const { sbomId, node, ref, packageName, vendor, version, purl, cpes } = row
  return {
    sbomId,
    node,
    packageId: row.packageId ?? undefined,
    name: packageName,
    source:
      row.sourceName === null
        ? undefined
        : { name: row.sourceName, version: row.sourceVersion ?? version ?? undefined },
    declared: {
      refs: ref === null ? [] : [ref, ...(namespace === undefined ? [] : [`${namespace}#${ref}`])],
      purl: purl === null ? undefined : parsePurl(purl),
      cpes: cpes.flatMap((cpe) => parseCpe(cpe) ?? []),
      names: [packageName, ...(vendor === null ? [] : [`${vendor}/${packageName}`])],
      version: version ?? undefined,
      hashes: row.hashes.flatMap(({ algorithm, value }) => formatHashName(algorithm, value) ?? []),
    },
  }
}

function keysOfDeclared({ refs, purl, cpes, names, hashes }: NamedProduct): string[] {
  return [
    ...refs.map((ref) => `ref ${ref}`),
    ...(purl ? [formatPurlKey(purl)] : []),
    ...cpes.map(({ product }) => `cpe ${product}`),
    ...names.map((name) => `name ${name.toLowerCase()}`),
    ...hashes.map((hash) => `hash ${hash}`),
  ]
}

function keysOfThing({ refs, readPurls, readCpes, name, hashes = [] }: ReadThing): string[] {
  return [
    ...refs.map((ref) => `ref ${ref}`),
    ...readPurls.map(formatPurlKey),
    ...readCpes.map(({ product }) => `cpe ${product}`),
    ...hashes.map((hash) => `hash ${hash}`),
    ...[
      name,
      ...readPurls.filter(({ type }) => type === 'generic').map((purl) => purl.name),
    ].flatMap((one) => (one === undefined ? [] : [`name ${one.toLowerCase()}`])),
  ]
}
