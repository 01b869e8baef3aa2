/** CycloneDX 1.6: the SBOM of a release, and what was decided about its findings. */
import type { Inventory, ShippedPart } from './inventory.ts'

const SCHEMA = 'http://cyclonedx.org/schema/bom-1.6.schema.json'

export function writeCycloneDx(inventory: Inventory): object {
  const { uuid, purl, uses, parts } = inventory
  return {
    $schema: SCHEMA,
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: metadataOf(inventory),
    components: parts.map(componentOf),
    dependencies: [
      { ref: purl, dependsOn: uses },
      ...parts.map((part) => ({ ref: part.purl, dependsOn: part.uses })),
    ],
  }
}

function metadataOf({ instant, purl, version }: Inventory) {
  return {
    timestamp: instant,
    component: {
      type: 'application',
      'bom-ref': purl,
      name: 'plimsoll',
      version,
      licenses: [{ license: { id: 'Apache-2.0' } }],
      purl,
    },
  }
}

function componentOf({ purl, name, version, license, cpe, sha512, description }: ShippedPart) {
  const [, group, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  return {
    type: purl.startsWith('pkg:npm/') ? 'library' : 'application',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: bare,
    version,
    ...(description !== undefined && { description }),
    scope: 'required',
    ...(sha512 !== undefined && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(cpe !== undefined && { cpe }),
    purl,
  }
}

/** What the maintainers decided about a vulnerability of a part (CycloneDX 1.6, vulnerabilities). */
export interface Statement {
  vulnerability: string
  purl: string
  state: 'exploitable' | 'in_triage' | 'false_positive' | 'not_affected' | 'resolved'
  justification?: string
  detail: string
}

export function writeVex(inventory: Inventory, statements: readonly Statement[]): object {
  const bom = `urn:cdx:${inventory.uuid}/1`
  return {
    $schema: SCHEMA,
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: metadataOf(inventory),
    vulnerabilities: statements.map(({ vulnerability, purl, state, justification, detail }) => ({
      id: vulnerability,
      analysis: { state, ...(justification !== undefined && { justification }), detail },
      affects: [{ ref: `${bom}#${encodeURIComponent(purl)}` }],
    })),
  }
}
