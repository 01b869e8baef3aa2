/** Small VEX documents in the shapes that Red Hat and SUSE publish. */
export interface GivenCsaf {
  cve: string
  publisher?: 'redhat' | 'suse' | 'other'
  modified?: string
  /** Ids of products: `PLATFORM:PACKAGE`, or `PLATFORM:MODULE:PACKAGE`. */
  status: Record<string, string[]>
  /** The CPEs of platforms and the purls of packages and modules. */
  cpes: Record<string, string>
  purls?: Record<string, string>
  remediations?: object[]
  flags?: object[]
  /** `deleted` for a document that was withdrawn. */
  tracking?: string
}

const NAMESPACES = {
  redhat: 'https://www.redhat.com',
  suse: 'https://www.suse.com/',
  other: 'https://www.example.com',
}

export function csafDocument(given: GivenCsaf) {
  const { cve, publisher = 'redhat', modified = '2026-08-01T00:00:00+00:00' } = given
  const ids = [...new Set(Object.values(given.status).flat())]
  const names = [...new Set(ids.flatMap((id) => partsOf(given, id).slice(1)))]
  return {
    document: {
      category: 'csaf_vex',
      csaf_version: '2.0',
      publisher: { category: 'vendor', name: publisher, namespace: NAMESPACES[publisher] },
      references: [{ category: 'self', summary: 'self', url: `https://example.com/${cve}.json` }],
      title: `A flaw, ${cve}`,
      tracking: {
        id: cve,
        status: given.tracking ?? 'final',
        version: '1',
        initial_release_date: '2026-07-01T00:00:00+00:00',
        current_release_date: modified,
        revision_history: [],
      },
    },
    product_tree: {
      branches: [
        {
          category: 'vendor',
          name: publisher,
          branches: [
            ...Object.entries(given.cpes).map(([id, cpe]) => branch('product_name', id, { cpe })),
            ...names.map((id) => {
              const purl = given.purls?.[id]
              return branch('product_version', id, purl === undefined ? undefined : { purl })
            }),
          ],
        },
      ],
      // Inner relationships come after the outer ones that use them, as in real documents.
      relationships: ids.flatMap((id) => relationshipsOf(partsOf(given, id))).toReversed(),
    },
    vulnerabilities: [
      {
        cve,
        notes: [{ category: 'description', text: 'What happens.', title: 'Description' }],
        product_status: given.status,
        remediations: given.remediations ?? [],
        flags: given.flags ?? [],
        threats: [{ category: 'impact', details: 'Moderate', product_ids: ids }],
        scores: [
          {
            cvss_v3: {
              version: '3.1',
              vectorString: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H',
              baseScore: 5.9,
              baseSeverity: 'MEDIUM',
            },
            products: ids,
          },
        ],
      },
    ],
  }
}

function branch(category: string, id: string, helper: object | undefined) {
  const product = {
    name: id,
    product_id: id,
    ...(helper && { product_identification_helper: helper }),
  }
  return { category, name: id, product }
}

/** The platform, then the module if there is one, then the package. */
function partsOf({ cpes }: GivenCsaf, id: string): string[] {
  const platform = Object.keys(cpes).find((name) => id.startsWith(`${name}:`))
  if (platform === undefined) return [id]
  const rest = id.slice(platform.length + 1)
  const [, module, part] = /^(.+)::(.+)$/.exec(rest) ?? []
  return module === undefined || part === undefined ? [platform, rest] : [platform, module, part]
}

function relationshipsOf([platform, ...inner]: string[]): object[] {
  const all: object[] = []
  let whole = platform
  for (const [index, part] of inner.entries()) {
    const id = `${whole ?? ''}${index === 0 ? ':' : '::'}${part}`
    all.push({
      category: 'default_component_of',
      full_product_name: { name: id, product_id: id },
      product_reference: part,
      relates_to_product_reference: whole,
    })
    whole = id
  }
  return all
}
