/** Runs the corpus through the product: imports feeds, uploads an SBOM, and lets the jobs parse and match it. */
import { sql } from 'kysely'
import { importFeeds } from '../../src/features/advisories/index.ts'
import { CONFIDENCES } from '../../src/features/matching/evidence.ts'
import type { TestApp } from '../app.ts'
import { givenClient, givenFirmwareVersion, matchedSboms, upload } from '../given.ts'
import type { ImageLabel } from './image-labels.ts'
import { componentOf, type DeclaredComponent, type Label } from './labels.ts'

export type Confidence = (typeof CONFIDENCES)[number]

/** The confidence of each match by vulnerability and component; absent: no match. */
export type Matches = Record<string, Record<string, Confidence>>

export async function importRecords(test: TestApp, feeds: string): Promise<void> {
  for (const outcome of await importFeeds(test.ctx, { path: feeds }))
    if (outcome.error !== undefined) throw new Error(`${outcome.source}: ${outcome.error}`)
}

export async function matchCorpus(test: TestApp, labels: readonly Label[]): Promise<Matches> {
  const components = [...new Set(labels.map(({ component }) => component))]
  const packages = await packagesOf(test, components)
  const { rows } = await sql<{ packageId: string; vulnerabilityId: string; confidence: string }>`
    select package_id, vulnerability_id, confidence from package_matches where until is null`.execute(
    test.ctx.db,
  )
  const found = new Map(
    rows.map((row) => [`${row.packageId} ${row.vulnerabilityId}`, row.confidence]),
  )
  const matches: Matches = {}
  for (const { cve, component } of labels) {
    const stated = found.get(`${packages.get(component) ?? ''} ${cve}`)
    const confidence = CONFIDENCES.find((one) => one === stated)
    if (confidence !== undefined) (matches[cve] ??= {})[component] = confidence
  }
  return matches
}

/** The package of each component, by the component's text. */
async function packagesOf(
  test: TestApp,
  components: readonly string[],
): Promise<Map<string, string>> {
  const client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  const declared = components.map(componentOf)
  const bytes = JSON.stringify(spdxDocument(declared))
  await upload(test, client, { firmwareVersionId, files: [{ name: 'corpus.spdx.json', bytes }] })
  const [sbom] = await matchedSboms(client, firmwareVersionId)
  if (sbom?.componentCount !== components.length)
    throw new Error(
      `Of ${components.length} components, ${sbom?.componentCount ?? 0} were read: ${sbom?.parsingError ?? ''}`,
    )
  const { rows } = await sql<StoredComponent>`
    select package_name, version, purl, cpes, vendor, package_id from sbom_components
    where workspace_id = ${client.workspaceId} and sbom_id = ${sbom.id}`.execute(test.ctx.db)
  const stored = new Map(rows.map((row) => [keyOf(row), row.packageId]))
  return new Map(
    components.flatMap((text, index) => {
      const { packageName, version, purl, cpes, supplier } = declared[index] ?? componentOf(text)
      const id = stored.get(
        keyOf({ packageName, version, purl, cpes, vendor: supplier, packageId: null }),
      )
      if (id === undefined) throw new Error(`The SBOM holds no component ${text}.`)
      return id === null ? [] : [[text, id] as const]
    }),
  )
}

interface StoredComponent {
  packageName: string
  version: string | null | undefined
  purl: string | null | undefined
  cpes: string[]
  vendor: string | null | undefined
  packageId: string | null
}

function keyOf({ packageName, version, purl, cpes, vendor }: StoredComponent): string {
  return JSON.stringify([
    packageName,
    version ?? null,
    purl ?? null,
    cpes.toSorted(),
    vendor ?? null,
  ])
}

function spdxDocument(components: readonly DeclaredComponent[]): object {
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'corpus',
    documentNamespace: 'https://example.com/corpus',
    creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: corpus'] },
    packages: components.map(spdxPackage),
    relationships: components.map((_, index) => ({
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: `SPDXRef-${index}`,
    })),
  }
}

function spdxPackage(component: DeclaredComponent, index: number): object {
  const { packageName, version, purl, cpes, supplier, repository } = component
  const purlRef = { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl' }
  return {
    SPDXID: `SPDXRef-${index}`,
    name: packageName,
    ...(version !== undefined && { versionInfo: version }),
    ...(supplier !== undefined && { supplier: `Organization: ${supplier}` }),
    downloadLocation: repository ?? 'NOASSERTION',
    externalRefs: [
      ...(purl === undefined ? [] : [{ ...purlRef, referenceLocator: purl }]),
      ...cpes.map((cpe) => ({
        referenceCategory: 'SECURITY',
        referenceType: cpe.startsWith('cpe:2.3:') ? 'cpe23Type' : 'cpe22Type',
        referenceLocator: cpe,
      })),
    ],
  }
}

/** The limit of `PLIMSOLL_SBOM_MAX_FILES` unless set. */
const FILES_OF_UPLOAD = 20

/**
 * Uploads an SBOM for each image, of the packages that have a label. Answers the confidence of each label's match; undefined: no
 * match.
 */
export async function matchImages(
  test: TestApp,
  labels: readonly ImageLabel[],
): Promise<(label: ImageLabel) => Confidence | undefined> {
  const client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  const images = Map.groupBy(labels, ({ package: of }) => of.image.name)
  const files = [...images].map(([name, of]) => ({
    name: `${name.replace(/[^\w.-]/g, '_')}.cdx.json`,
    bytes: JSON.stringify(cycloneDxDocument(of)),
  }))
  for (const start of [0, FILES_OF_UPLOAD])
    await upload(test, client, {
      firmwareVersionId,
      files: files.slice(start, start + FILES_OF_UPLOAD),
    })
  const sboms = await matchedSboms(client, firmwareVersionId)
  const failed = sboms.find(({ parsingState }) => parsingState !== 'Succeeded')
  if (failed || sboms.length !== images.size)
    throw new Error(`Not all images were read: ${failed?.parsingError ?? sboms.length}`)
  const { rows } = await sql<StoredMatch>`
    select sboms.file_name, component.package_name, component.version, alias.alias, match.confidence
    from sbom_components component
    join sboms on sboms.workspace_id = component.workspace_id and sboms.id = component.sbom_id
    join package_matches match on match.package_id = component.package_id and match.until is null
    join (
      select alias, vulnerability_id from vulnerability_aliases
      union select id, id from vulnerabilities
    ) alias on alias.vulnerability_id = match.vulnerability_id
    where component.workspace_id = ${client.workspaceId}`.execute(test.ctx.db)
  const found = new Map(
    rows.map((row) => [
      [row.fileName, row.packageName, row.version, row.alias].join(' '),
      row.confidence,
    ]),
  )
  return ({ package: { image, name, version }, vulnerability }) =>
    found.get(
      [`${image.name.replace(/[^\w.-]/g, '_')}.cdx.json`, name, version, vulnerability].join(' '),
    )
}

interface StoredMatch {
  fileName: string
  packageName: string
  version: string
  alias: string
  confidence: Confidence
}

function cycloneDxDocument(labels: readonly ImageLabel[]): object {
  const packages = new Map(
    labels.map(({ package: of }) => [`${of.name} ${of.version} ${of.purl ?? ''}`, of]),
  )
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    components: [...packages.values()].map(({ name, version, purl, cpe }, index) => ({
      type: 'library',
      'bom-ref': String(index),
      name,
      version,
      ...(purl !== undefined && { purl }),
      cpe,
    })),
  }
}
