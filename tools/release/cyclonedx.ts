/** CycloneDX 1.6: the SBOM of a release. */
import type { Inventory, ShippedPart } from './inventory.ts'

export const SCHEMA = 'http://cyclonedx.org/schema/bom-1.6.schema.json'

export function writeCycloneDx(inventory: Inventory): object {
  const { uuid, purl, uses, parts } = inventory
  return {
    $schema: SCHEMA,
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: writeMetadata(inventory),
    components: parts.map(componentOf),
    dependencies: [
      { ref: purl, dependsOn: uses },
      ...parts.map((part) => ({ ref: part.purl, dependsOn: part.uses })),
    ],
  }
}

export function writeMetadata({ instant, purl, version }: Inventory) {
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
