/** VEX documents: OpenVEX, CycloneDX and CSAF, through the API; most only through the reader behind it. */
import fc from 'fast-check'
import { readDocument } from '../../src/features/vex/received-document.ts'
import { parseJson } from '../../src/formats/sboms/parse-json.ts'
import { SbomError } from '../../src/formats/sboms/sbom-error.ts'
import { AppError } from '../../src/platform/errors.ts'
import { bytesOf, type StoredBytes } from './bytes.ts'
import { type Door, openDoor } from './door.ts'
import { jsonBytes, mutated, spoiled } from './mutations.ts'
import { cycloneDx, some } from './sbom-documents.ts'
import { refuseUnstorable, refuseVague } from './sboms.ts'
import { ask, type World } from './world.ts'

interface VexCase {
  /** Through the API. */
  isSent: boolean
  document: StoredBytes
}

const few = (of: fc.Arbitrary<unknown>, most = 3) => fc.array(of, { maxLength: most })
const ids = fc.constantFrom(
  'CVE-2021-44228',
  'CVE-1-1',
  'GHSA-xxxx-yyyy-zzzz',
  '{{mine.cveId}}',
  '',
)
const products = fc.constantFrom(
  'pkg:npm/a@1',
  '{{mine.cpe}}',
  '{{mine.product}}',
  'pkg:generic/{{mine.product}}@1.0',
  'https://example.com/a',
  '#r1',
  '',
)
const times = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '2999-01-01T00:00:00+14:00',
  '1',
  '2026-13-01T00:00:00Z',
)

const openVex = fc.record(
  {
    '@context': fc.constantFrom('https://openvex.dev/ns/v0.2.0', 'https://openvex.dev/ns', 'x'),
    '@id': fc.constantFrom('https://example.com/1', 'https://example.com/2'),
    author: products,
    timestamp: times,
    version: fc.integer({ min: -1, max: 3 }),
    statements: few(
      some({
        vulnerability: fc.oneof(ids, some({ name: ids, '@id': ids, aliases: few(ids) })),
        products: few(
          fc.oneof(
            products,
            some({
              '@id': products,
              identifiers: some({ purl: products, cpe23: products }),
              subcomponents: few(some({ '@id': products })),
            }),
          ),
        ),
        status: fc.constantFrom('not_affected', 'affected', 'fixed', 'under_investigation', 'x'),
        justification: fc.constantFrom('component_not_present', 'x'),
        impact_statement: ids,
        action_statement: ids,
        timestamp: times,
        status_notes: ids,
      }),
      4,
    ),
  },
  { requiredKeys: ['@context', '@id', 'statements'], noNullPrototype: true },
)

const branches: fc.Arbitrary<object> = fc.letrec((tie) => ({
  branch: some({
    category: fc.constantFrom('vendor', 'product_name', 'product_version', 'product_version_range'),
    name: products,
    product: some({
      product_id: fc.constantFrom('P1', 'P2', 'P3'),
      name: products,
      product_identification_helper: some({ purl: products, cpe: products }),
    }),
    branches: fc.oneof({ maxDepth: 4 }, fc.constant([]), few(tie('branch'), 2)),
  }),
})).branch

const productIds = few(fc.constantFrom('P1', 'P2', 'P3', 'P1:P2', 'none'))
export const csaf = fc.record(
  {
    document: some({
      category: fc.constantFrom('csaf_vex', 'csaf_security_advisory'),
      csaf_version: fc.constantFrom('2.0', '2.1', '1'),
      publisher: some({
        name: products,
        namespace: fc.constantFrom('https://www.redhat.com', 'https://x'),
      }),
      title: products,
      tracking: some({
        id: ids,
        status: fc.constantFrom('final', 'draft', 'deleted'),
        version: fc.constantFrom('1', '2.0.0', 'x'),
        current_release_date: times,
        initial_release_date: times,
      }),
    }),
    product_tree: some({
      branches: few(branches, 2),
      full_product_names: few(some({ product_id: fc.constant('P3'), name: products })),
      relationships: few(
        some({
          category: fc.constantFrom('default_component_of', 'installed_on'),
          product_reference: fc.constantFrom('P1', 'P2'),
          relates_to_product_reference: fc.constantFrom('P2', 'P1:P2'),
          full_product_name: some({ product_id: fc.constant('P1:P2'), name: products }),
        }),
      ),
      product_groups: few(some({ group_id: fc.constant('G'), product_ids: productIds })),
    }),
    vulnerabilities: few(
      some({
        cve: ids,
        ids: few(some({ text: ids, system_name: ids })),
        product_status: some({
          known_not_affected: productIds,
          known_affected: productIds,
          fixed: productIds,
          under_investigation: productIds,
          first_fixed: productIds,
        }),
        flags: few(
          some({
            label: fc.constant('component_not_present'),
            product_ids: productIds,
            group_ids: few(fc.constant('G')),
          }),
        ),
        remediations: few(
          some({
            category: fc.constantFrom('vendor_fix', 'none_available'),
            details: ids,
            product_ids: productIds,
            url: fc.webUrl(),
          }),
        ),
        threats: few(
          some({ category: fc.constant('impact'), details: ids, product_ids: productIds }),
        ),
        notes: few(some({ category: fc.constant('description'), text: ids, title: ids })),
        scores: few(
          some({
            products: productIds,
            cvss_v3: some({
              version: fc.constant('3.1'),
              vectorString: fc.constantFrom(
                'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
                'CVSS:3.1/X',
              ),
              baseScore: fc.double(),
            }),
          }),
        ),
      }),
      3,
    ),
  },
  { requiredKeys: ['document', 'vulnerabilities'], noNullPrototype: true },
)

const SENT_SHARE = 7

const cases: fc.Arbitrary<VexCase> = fc.record(
  {
    isSent: fc.nat(SENT_SHARE).map((one) => one === 0),
    document: spoiled(
      fc.oneof(mutated(openVex), mutated(csaf), mutated(cycloneDx)).map(jsonBytes),
      6,
    ),
  },
  { noNullPrototype: true },
)

const BUDGET = { depth: 200, values: 2_000_000, valuesLimit: 2_000_000 }

export function vexDoor(world: World): Door {
  return openDoor({
    cases,
    run: async ({ isSent, document }) => {
      readInProcess(bytesOf(document))
      if (!isSent) return
      await ask(world, {
        method: 'POST',
        url: '/workspaces/{{mine.workspaceId}}/firmware-versions/{{mine.firmwareVersionId}}/vex',
        headers: { authorization: 'Bearer {{mine.apiKey}}', 'content-type': 'application/json' },
        body: document,
      })
    },
  })
}

function readInProcess(bytes: Buffer): void {
  try {
    const { statements, faults } = readDocument(parseJson(bytes, { ...BUDGET }).value)
    refuseUnstorable(statements)
    for (const { detail } of faults) refuseVague(`A part: ${detail}`)
  } catch (error) {
    if (!(error instanceof SbomError || error instanceof AppError)) throw error
    refuseVague(error.message)
  }
}
