/** SPDX 2.3: the SBOM of a release. https://spdx.github.io/spdx-spec/v2.3/ */
import type { Inventory, ShippedPart } from './inventory.ts'

const ROOT = 'SPDXRef-plimsoll'

export function writeSpdx({ version, instant, uuid, purl, uses, parts }: Inventory): object {
  const ids = new Map(parts.map((part, index) => [part.purl, `SPDXRef-part-${index + 1}`]))
  const idOf = (of: string) => ids.get(of) ?? ROOT
  const dependsOn = (from: string, of: readonly string[]) =>
    of.map((to) => ({
      spdxElementId: from,
      relationshipType: 'DEPENDS_ON',
      relatedSpdxElement: idOf(to),
    }))
  const root = { purl, name: 'plimsoll', version, license: 'Apache-2.0', uses: [] }
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `plimsoll-${version}`,
    documentNamespace: `https://plimsoll.invalid/spdx/plimsoll-${version}-${uuid}`,
    creationInfo: { created: instant, creators: [`Tool: plimsoll-release-${version}`] },
    documentDescribes: [ROOT],
    packages: [packageOf(root, ROOT), ...parts.map((part) => packageOf(part, idOf(part.purl)))],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: ROOT,
      },
      ...dependsOn(ROOT, uses),
      ...parts.flatMap((part) => dependsOn(idOf(part.purl), part.uses)),
    ],
  }
}

function packageOf(part: ShippedPart, id: string) {
  const { purl, name, version, license, cpe, sha512, description } = part
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    ...(description !== undefined && { comment: description }),
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license ?? 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(sha512 !== undefined && {
      checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }],
    }),
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
      ...(cpe === undefined
        ? []
        : [
            {
              referenceCategory: 'SECURITY',
              referenceType: 'cpe23Type',
              referenceLocator: cpe,
            },
          ]),
    ],
  }
}
