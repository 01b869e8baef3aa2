import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData, sharedData } from '../../../test/shared-data.ts'
import { vexSchemas } from '../../../test/vex-schemas.ts'
import type { ExportedThing, VexExport, VexVerdict } from './export.ts'
import type { VexDocument, VexStatement } from './model.ts'
import { parseVex } from './parse-vex.ts'
import { EXPORT_FORMATS, type ExportFormat, writeVex } from './write-vex.ts'
import {
  CYCLONEDX_JUSTIFICATIONS,
  OPENVEX_JUSTIFICATIONS,
  VEX_RESPONSES,
  type VexAssessment,
} from './vocabulary.ts'

const PRODUCT: ExportedThing = {
  ref: 'product',
  name: 'gateway',
  version: '1.0',
  purl: 'pkg:generic/gateway@1.0',
  cpe: undefined,
  artifact: { fileName: 'gateway.swu', sha256: 'ab'.repeat(32) },
}
const BUSYBOX: ExportedThing = {
  ref: 'component-1',
  name: 'busybox',
  version: '1.36.1',
  purl: 'pkg:generic/busybox@1.36.1',
  cpe: 'cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*',
}
const verdict = (given: Partial<VexVerdict>): VexVerdict => ({
  vulnerability: 'CVE-2024-0001',
  title: 'A flaw',
  components: [BUSYBOX],
  assessment: 'NotAffected',
  justification: undefined,
  detail: undefined,
  responses: [],
  statedAt: '2024-05-06T07:08:09.000Z',
  received: undefined,
  ...given,
})
const exported = (...verdicts: VexVerdict[]): VexExport => ({
  id: 'f08a6ccd-4dce-4759-bd84-c626675d60a7',
  publisher: {
    name: 'Acme',
    namespace: 'https://acme.example',
    category: 'vendor',
    contact: undefined,
  },
  statedAt: '2024-05-06T07:08:09.000Z',
  tool: { name: 'Plimsoll', version: '0.1.0' },
  product: PRODUCT,
  verdicts,
})

/** What a document as it would be sent says of one verdict. */
function readBack(format: ExportFormat, input: VexExport): VexStatement[] {
  return parseVex(JSON.parse(JSON.stringify(writeVex(format, input)))).statements
}

const said = ({ assessment, justification, detail, responses }: VexVerdict | VexStatement) => ({
  assessment,
  justification,
  detail,
  responses: responses.toSorted(),
})

const validate = sharedData === undefined ? undefined : vexSchemas(sharedData)

it.each(EXPORT_FORMATS)('names the image by its hash in %s, and reads it back', (format) => {
  const statements = readBack(format, exported(verdict({ components: [] })))

  const hashes = statements.flatMap(({ products }) => products.flatMap((one) => one.hashes))
  expect(new Set(hashes)).toEqual(new Set([`sha256:${'ab'.repeat(32)}`]))
})

const ASSESSMENTS: VexAssessment[] = [
  'NotAffected',
  'FalsePositive',
  'Exploitable',
  'Resolved',
  'InTriage',
]
const verdicts = fc.record({
  assessment: fc.constantFrom(...ASSESSMENTS),
  justification: fc.option(
    fc.constantFrom(...OPENVEX_JUSTIFICATIONS, ...CYCLONEDX_JUSTIFICATIONS),
    { nil: undefined },
  ),
  detail: fc.option(
    fc.constantFrom('Not built.', 'Line one\nline two', 'One.\n\n\n  Two.\n\nOne.'),
    {
      nil: undefined,
    },
  ),
  responses: fc.uniqueArray(fc.constantFrom(...VEX_RESPONSES)),
})

it.each(EXPORT_FORMATS)('says in %s what was assessed, so that it can be read back', (format) => {
  fc.assert(
    fc.property(verdicts, (given) => {
      const one = verdict(given)

      const statements = readBack(format, exported(one))

      expect(statements.map(said)).toEqual([said(one)])
      expect(validate?.(format, writeVex(format, exported(one))) ?? []).toEqual([])
    }),
  )
})

it.each(EXPORT_FORMATS)('says in %s when each finding was assessed', (format) => {
  fc.assert(
    fc.property(verdicts, (given) => {
      const earlier = verdict({ ...given, statedAt: '2024-01-02T03:04:05.678Z' })
      const newest = verdict({ vulnerability: 'CVE-2024-0002' })

      const [first] = readBack(format, exported(earlier, newest))

      expect(first?.statedAt).toBe(earlier.statedAt)
    }),
  )
})

it.each(EXPORT_FORMATS)('names product and component in %s', (format) => {
  const [statement] = readBack(format, exported(verdict({})))

  expect(statement?.products).toMatchObject([
    {
      purls: [PRODUCT.purl],
      subcomponents: [{ purls: [BUSYBOX.purl], cpes: [BUSYBOX.cpe] }],
    },
  ])
})

it.each(EXPORT_FORMATS)('names the product alone in %s where all of it is meant', (format) => {
  const [statement] = readBack(format, exported(verdict({ components: [] })))

  expect(statement?.products).toMatchObject([{ purls: [PRODUCT.purl], subcomponents: [] }])
})

it('puts all verdicts of one CVE into one item of CSAF, as its rules want', () => {
  const other = { ...BUSYBOX, ref: 'component-2', purl: 'pkg:generic/toybox@1' }
  const document = writeVex(
    'csaf',
    exported(
      verdict({ justification: 'component_not_present' }),
      verdict({ components: [other], assessment: 'Exploitable', responses: ['update'] }),
      verdict({ vulnerability: 'GHSA-aaaa-bbbb-cccc', assessment: 'Resolved' }),
    ),
  )

  expect(document).toMatchObject({
    vulnerabilities: [
      {
        cve: 'CVE-2024-0001',
        product_status: {
          known_not_affected: ['component-1:in-product'],
          known_affected: ['component-2:in-product'],
        },
      },
      { ids: [{ text: 'GHSA-aaaa-bbbb-cccc' }] },
    ],
  })
  expect(validate?.('csaf', document) ?? []).toEqual([])
})

describe('a statement that was received', () => {
  const original = {
    id: 'CVE-2024-0001',
    source: { name: 'NVD', url: 'https://nvd.nist.gov/vuln/detail/CVE-2024-0001' },
    recommendation: 'Update.',
    analysis: { state: 'not_affected', justification: 'code_not_reachable', response: ['update'] },
    affects: [{ ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#other' }, { ref: 'own' }],
  }
  const received = {
    format: 'CycloneDx' as const,
    original,
    envelope: { serialNumber: 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', version: 3 },
    documentId: 'd1',
  }
  const given = verdict({ justification: 'code_not_reachable', responses: ['update'], received })

  it('is kept whole in a document of its standard', () => {
    const document = writeVex('cyclonedx', exported(given))

    expect(document).toMatchObject({
      vulnerabilities: [
        {
          ...original,
          affects: [
            { ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#other' },
            { ref: 'urn:cdx:f81d4fae-7dec-11d0-a765-00a0c91e6bf6/3#own' },
            { ref: 'component-1' },
          ],
        },
      ],
    })
    expect(validate?.('cyclonedx', document) ?? []).toEqual([])
  })

  it('goes along whole in CSAF', () => {
    const document = JSON.stringify(writeVex('csaf', exported(given)))

    expect(document).toContain(JSON.stringify(JSON.stringify(original)))
  })

  it('takes the time from its OpenVEX document along', () => {
    const statement = {
      vulnerability: 'CVE-2024-0001',
      products: ['pkg:oci/gateway'],
      status: 'not_affected',
      statement: 'An older member.',
    }
    const old = { ...received, format: 'OpenVex' as const, original: statement, envelope: {} }
    const document = writeVex('openvex', exported(verdict({ received: old })))

    expect(document).toMatchObject({
      statements: [
        {
          vulnerability: { name: 'CVE-2024-0001' },
          timestamp: '2024-05-06T07:08:09.000Z',
          products: [{ '@id': 'pkg:oci/gateway' }, { '@id': PRODUCT.purl }],
          status_notes: 'An older member.',
        },
      ],
    })
    expect(validate?.('openvex', document) ?? []).toEqual([])
  })
})

const TYPES: Partial<Record<VexDocument['format'], ExportFormat>> = {
  OpenVex: 'openvex',
  CycloneDx: 'cyclonedx',
  Csaf: 'csaf',
}

describeWithSharedData('statements of the standards’ own examples', (folder) => {
  const isValid = vexSchemas(folder)
  const names = [
    ...readdirSync(join(folder, 'vex/csaf/examples')).map((name) => `vex/csaf/examples/${name}`),
    ...readdirSync(join(folder, 'vex/openvex'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => `vex/openvex/${name}`),
    ...readdirSync(join(folder, 'sbom/cyclonedx-json/CycloneDX__bom-examples'))
      .filter((name) => /^VEX__.*vex.*json$/.test(name))
      .map((name) => `sbom/cyclonedx-json/CycloneDX__bom-examples/${name}`),
  ].toSorted()
  const documents = names.flatMap((name) => {
    try {
      return [{ name, document: parseVex(JSON.parse(readFileSync(join(folder, name), 'utf8'))) }]
    } catch {
      return []
    }
  })

  function receivedVerdicts({ format, statements, entries, envelope, statedAt }: VexDocument) {
    return statements.map((statement) =>
      verdict({
        ...statement,
        statedAt: statement.statedAt ?? statedAt ?? '2024-05-06T07:08:09.000Z',
        received: { format, original: entries[statement.entry] ?? {}, envelope, documentId: 'd' },
      }),
    )
  }

  it.each(documents)(
    '$name is valid in all three standards when it is handed on',
    ({ document }) => {
      for (const format of EXPORT_FORMATS)
        expect(isValid(format, writeVex(format, exported(...receivedVerdicts(document))))).toEqual(
          [],
        )
    },
  )

  it.each(documents)('$name says the same in its own standard', ({ document }) => {
    const format = TYPES[document.format] ?? 'openvex'
    const given = receivedVerdicts(document)

    const back = readBack(format, exported(...given))

    const shown = (statements: readonly (VexStatement | VexVerdict)[]) =>
      new Set(statements.map((one) => JSON.stringify([one.vulnerability, said(one)])))
    const expected = shown(given)
    expect([...expected].filter((one) => !shown(back).has(one))).toEqual([])
  })
})
