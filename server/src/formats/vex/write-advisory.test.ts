/** Advisories, judged by the validator of the BSI's project, which knows nothing of this writer. */
import * as mandatoryTests from '@secvisogram/csaf-validator-lib/mandatoryTests.js'
import { csaf_2_0 as schema } from '@secvisogram/csaf-validator-lib/schemaTests.js'
import validate from '@secvisogram/csaf-validator-lib/validate.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { vexSchemas } from '../../../test/vex-schemas.ts'
import {
  type Advisory,
  type AdvisoryProduct,
  type AdvisoryVulnerability,
  listWithoutRemediation,
  nameCsafFile,
  PRODUCT_STATUSES,
  REMEDIATION_KINDS,
  writeAdvisory,
  writeWithdrawal,
} from './write-advisory.ts'
import cweNames from '../advisories/cwe-names.json' with { type: 'json' }
import { parseVex } from './parse-vex.ts'

const HOSTILE = [
  '<script>alert(1)</script> & "quoted" <b>',
  'safe\u202Etxt.exe\u2066\u200B',
  '=cmd|"/c calc"!A1',
  '\uD800 half a character',
  'line one\r\nline two\n\n\u0000\u0007',
  '🦊 Überschrift 漢字',
]
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }),
  fc.lorem(),
)
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const products = fc
  .uniqueArray(
    fc.record({
      manufacturer: text,
      productLine: optional(text),
      name: text,
      version: fc.oneof(
        text,
        fc.constantFrom('2.4.1', 'all versions before 3', '< 2.0', 'prior', 'vers:generic/<2', ''),
      ),
      purl: fc.oneof(
        fc.constantFrom(
          'pkg:generic/gateway@2.4.1',
          'pkg:x',
          'pkg:generic/%ZZ',
          'pkg:generic/a@%',
          '',
        ),
        fc.webUrl().map((url) => `pkg:generic/${url}`),
        text.map((name) => `pkg:generic/${name}`),
      ),
      cpe: optional(fc.constantFrom('cpe:2.3:o:acme:gateway:2.4.1:*:*:*:*:*:*:*', 'cpe:/o:a', 'x')),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((all): AdvisoryProduct[] => all.map((one, index) => ({ ...one, ref: `product-${index}` })))

const vulnerabilityIds = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 1, max: 99_999 }).map((n) => `CVE-2026-${String(n).padStart(4, '0')}`),
    fc.constantFrom('GHSA-aaaa-bbbb-cccc', 'EUVD-2026-1', 'CVE-2026-1'),
  ),
  { minLength: 1, maxLength: 4 },
)

/** Of all versions, complete or not, with metrics that CSAF 2.0 has no place for. */
const metric = (name: string, letters: string) =>
  fc.constantFrom(...letters.split('')).map((letter) => `${name}:${letter}`)
const ofVersion3 = fc.tuple(
  metric('AV', 'NALP'),
  metric('AC', 'LH'),
  metric('PR', 'NLH'),
  metric('UI', 'NR'),
  metric('S', 'UC'),
  metric('C', 'NLH'),
  metric('I', 'NLH'),
  metric('A', 'NLH'),
)
const ofVersion2 = fc.tuple(
  metric('AV', 'LAN'),
  metric('AC', 'HML'),
  metric('Au', 'MSN'),
  metric('C', 'NPC'),
  metric('I', 'NPC'),
  metric('A', 'NPC'),
)
const vectors = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('3.0', '3.1'),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
      ofVersion3,
    )
    .map(([version, order, metrics]) =>
      [`CVSS:${version}`, ...order.map((place) => metrics[place] ?? '')].join('/'),
    ),
  ofVersion3.map((metrics) => `CVSS:3.1/${metrics.join('/')}/E:P/RL:O/RC:C`),
  ofVersion2.map((metrics) => metrics.join('/')),
  ofVersion2.map((metrics) => `(${metrics.join('/')}/E:U/RL:OF/RC:C)`),
  fc.constantFrom(
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    'CVSS:3.1/AV:N',
    'CVSS:3.1/',
  ),
)
const CWE_IDS = Object.keys(cweNames).map((number) => `CWE-${number}`)

function vulnerabilityOf(id: string, refs: readonly string[]): fc.Arbitrary<AdvisoryVulnerability> {
  const some = fc.subarray([...refs], { minLength: 1 })
  return fc.record({
    vulnerability: fc.constant(id),
    title: optional(text),
    description: text,
    exploitation: optional(text),
    cvssVector: optional(fc.oneof(vectors, text)),
    cweId: optional(fc.oneof(fc.constantFrom(...CWE_IDS), text)),
    statuses: some.chain((chosen) =>
      fc
        .tuple(...chosen.map(() => fc.constantFrom(...PRODUCT_STATUSES)))
        .map((states) => new Map(states.map((state, index) => [chosen[index] ?? '', state]))),
    ),
    remediations: fc.array(
      fc.record({
        kind: fc.constantFrom(...REMEDIATION_KINDS),
        details: text,
        url: optional(fc.webUrl()),
        refs: some,
      }),
      { maxLength: 3 },
    ),
  })
}

const advisories = fc.tuple(products, vulnerabilityIds).chain(([all, ids]) =>
  fc.record({
    trackingId: fc.integer({ min: 1, max: 9_999 }).map((n) => `ACME-PSIRT-2026-${n}`),
    isDraft: fc.boolean(),
    publisher: fc.record({
      name: text,
      namespace: fc.webUrl(),
      category: fc.constantFrom('vendor', 'coordinator', 'discoverer', 'other', 'user'),
      contact: optional(text),
    }),
    title: text,
    summary: text,
    details: optional(text),
    revisions: fc
      .array(
        fc.record({
          at: fc.date({
            min: new Date('2020-01-01'),
            max: new Date('2090-01-01'),
            noInvalidDate: true,
          }),
          summary: text,
        }),
        { minLength: 1, maxLength: 12 },
      )
      .map((given) =>
        given
          .toSorted((one, two) => Number(one.at) - Number(two.at))
          .map(({ at, summary }) => ({ date: at.toISOString(), summary })),
      ),
    tool: fc.constant({ name: 'Plimsoll', version: '0.1.0' }),
    url: optional(fc.constant('https://acme.example/csaf/2026/acme-2026-1.json')),
    products: fc.constant(all),
    vulnerabilities: fc.tuple(
      ...ids.map((id) =>
        vulnerabilityOf(
          id,
          all.map(({ ref }) => ref),
        ),
      ),
    ),
  }),
) satisfies fc.Arbitrary<Advisory>

/** What the validator finds wrong in the document as it would be sent. */
async function listFaults(document: object): Promise<string[]> {
  const sent = JSON.parse(JSON.stringify(document)) as object
  const { tests } = await validate([schema, ...Object.values(mandatoryTests)], sent)
  return tests.flatMap(({ name, isValid, errors }) =>
    isValid ? [] : [`${name}: ${JSON.stringify(errors)}`],
  )
}

it('is valid by the schema and all mandatory tests of the standard, whatever people write', async () => {
  await fc.assert(
    fc.asyncProperty(advisories, async (advisory) => {
      expect(await listFaults(writeAdvisory(advisory))).toEqual([])
    }),
    { numRuns: 100 },
  )
})

it('is valid when it is withdrawn, and states nothing any more', async () => {
  await fc.assert(
    fc.asyncProperty(advisories, text, async (advisory, reason) => {
      const document = writeWithdrawal({ ...advisory, isDraft: false }, reason)

      expect(await listFaults(document)).toEqual([])
      expect(document).not.toHaveProperty('vulnerabilities')
    }),
  )
})

it('is found wrong by the validator where it is wrong', async () => {
  const [advisory] = fc.sample(advisories, { seed: 1, numRuns: 1 })
  if (!advisory) throw new Error('There is no sample.')
  const { vulnerabilities: _, ...rest } = writeAdvisory(advisory)

  expect((await listFaults(rest)).join('\n')).toContain('6_1_27')
})

const ASSESSMENTS = {
  KnownAffected: 'Exploitable',
  KnownNotAffected: 'NotAffected',
  Fixed: 'Resolved',
  UnderInvestigation: 'InTriage',
} as const

it('says of each product what was stated, so that the reader of this service understands it', () => {
  fc.assert(
    fc.property(advisories, (advisory) => {
      const { statements, faults } = parseVex(
        JSON.parse(JSON.stringify(writeAdvisory(advisory))) as object,
      )

      const read = statements.flatMap(({ vulnerability, assessment, products: named }) =>
        named.map(({ ref }) => `${vulnerability} ${ref} ${assessment}`),
      )
      const stated = advisory.vulnerabilities.flatMap(({ vulnerability, statuses }) =>
        [...statuses].map(([ref, status]) => `${vulnerability} ${ref} ${ASSESSMENTS[status]}`),
      )
      expect(read.toSorted()).toEqual(stated.toSorted())
      expect(faults).toEqual([])
    }),
  )
})

it('tells of each affected product what users can do, even if that is nothing', () => {
  fc.assert(
    fc.property(advisories, (advisory) => {
      const document = JSON.parse(JSON.stringify(writeAdvisory(advisory))) as {
        vulnerabilities: {
          product_status: { known_affected?: string[] }
          remediations?: { product_ids: string[]; category: string }[]
        }[]
      }

      for (const [index, one] of document.vulnerabilities.entries()) {
        const remedied = one.remediations?.flatMap(({ product_ids: ids }) => ids) ?? []
        const affected = one.product_status.known_affected ?? []
        expect(affected.filter((id) => !remedied.includes(id))).toEqual([])
        const given = advisory.vulnerabilities[index]
        const none = one.remediations?.filter(({ category }) => category === 'none_available') ?? []
        if (given && listWithoutRemediation(given).length > 0) expect(none).not.toEqual([])
      }
    }),
  )
})

it.each`
  trackingId             | name
  ${'ACME-2026-7'}       | ${'acme-2026-7.json'}
  ${'Acme PSIRT/2026:7'} | ${'acme_psirt_2026_7.json'}
  ${'Ä..%2f..-2026+1'}   | ${'_2f_-2026+1.json'}
`('names the file of $trackingId $name', ({ trackingId, name }: Record<string, string>) => {
  expect(nameCsafFile(trackingId ?? '')).toBe(name)
})

describeWithSharedData('the schema that the standard publishes', (folder) => {
  it('takes all advisories', () => {
    const isValid = vexSchemas(folder)
    fc.assert(
      fc.property(advisories, (advisory) => {
        expect(isValid('csaf', writeAdvisory(advisory))).toEqual([])
      }),
    )
  })
})

const AFFECTED_ALONE = { status: 'KnownAffected', product: 'product-0' } as const

/** The first vulnerability of a document that says this of one product. */
function writeOne(more: Partial<AdvisoryVulnerability>) {
  const [sample] = fc.sample(advisories, { seed: 7, numRuns: 1 })
  const [one] = sample?.vulnerabilities ?? []
  if (!sample || !one) throw new Error('There is no sample.')
  const statuses = new Map([[AFFECTED_ALONE.product, AFFECTED_ALONE.status]])
  const vulnerabilities = [{ ...one, statuses, remediations: [], ...more }]
  const [written] = writeAdvisory({ ...sample, vulnerabilities })['vulnerabilities'] as object[]
  return written
}

const RATED = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

it('states the score of products that are affected or may be, and of no others', () => {
  const score = { products: ['product-0'], cvss_v3: { vectorString: RATED, baseScore: 9.8 } }

  expect(writeOne({ cvssVector: RATED })).toMatchObject({ scores: [score] })
  expect(
    writeOne({ cvssVector: RATED, statuses: new Map([['product-0', 'Fixed']]) }),
  ).not.toHaveProperty('scores')
})

it.each`
  cvssVector                                                           | because
  ${undefined}                                                         | ${'nothing is stated'}
  ${'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'} | ${'CSAF 2.0 has no place for it'}
  ${'CVSS:3.1/AV:N'}                                                   | ${'the vector is incomplete'}
`('states no score of $cvssVector, as $because', ({ cvssVector }) => {
  expect(writeOne({ cvssVector: cvssVector as string | undefined })).not.toHaveProperty('scores')
})

it.each`
  cweId          | cwe                                               | because
  ${'CWE-787'}   | ${{ id: 'CWE-787', name: 'Out-of-bounds Write' }} | ${'it is a weakness'}
  ${'CWE-16'}    | ${undefined}                                      | ${'it is a category'}
  ${'CWE-99999'} | ${undefined}                                      | ${'the list has none of this number'}
`('states $cwe of $cweId, as $because', ({ cweId, cwe }) => {
  const written = writeOne({ cweId: cweId as string })

  if (cwe === undefined) expect(written).not.toHaveProperty('cwe')
  else expect(written).toMatchObject({ cwe: cwe as object })
})
