/** What all CSAF 2.0 documents of this service have in common. */
import type { JsonObject } from '../sboms/json-values.ts'
import type { ExportedThing, VexPublisher } from './export.ts'

export function writePublisher({ category, name, namespace, contact }: VexPublisher): JsonObject {
  return { category, name, namespace, ...(contact !== undefined && { contact_details: contact }) }
}

export function formatName({ name, version }: Pick<ExportedThing, 'name' | 'version'>): string {
  return version === undefined ? name : `${name} ${version}`
}

const PURL = /^pkg:[A-Za-z.\-+][A-Za-z0-9.\-+]*\/.+/
/** The pattern of the schema, which is narrower than NISTIR 7695. */
const CPE =
  /^cpe:2\.3:[aho*-](?::(?:(?:\?*|\*?)(?:[\w\-.]|\\[\\*?!"#$%&'()+,/:;<=>@[\]^`{|}~])+(?:\?*|\*?)|[*-])){5}:(?:[a-zA-Z]{2,3}(?:-(?:[a-zA-Z]{2}|\d{3}))?|[*-])(?::(?:(?:\?*|\*?)(?:[\w\-.]|\\[\\*?!"#$%&'()+,/:;<=>@[\]^`{|}~])+(?:\?*|\*?)|[*-])){4}$/

export function writeFullName(thing: ExportedThing): JsonObject {
  const { ref, purl, cpe, artifact } = thing
  const helper = {
    ...(PURL.test(purl) && { purl }),
    ...(cpe !== undefined && CPE.test(cpe) && { cpe }),
    ...(artifact && {
      hashes: [
        {
          file_hashes: [{ algorithm: 'sha256', value: artifact.sha256 }],
          filename: artifact.fileName,
        },
      ],
    }),
  }
  return {
    product_id: ref,
    name: formatName(thing),
    ...(Object.keys(helper).length > 0 && { product_identification_helper: helper }),
  }
}

export const isCve = (id: string): boolean => /^CVE-\d{4}-\d{4,}$/.test(id)

export function writeVulnerabilityName(id: string): JsonObject {
  if (isCve(id)) return { cve: id }
  const system = id.startsWith('GHSA-') ? 'GitHub' : 'Vulnerability id'
  return { ids: [{ system_name: system, text: id }] }
}
