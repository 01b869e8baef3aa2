import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseCveRecord } from '../../formats/advisories/cve5.ts'
import type { ParsedRecord } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { identifyPackage } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch, type DecidedMatch } from './verdict-precedence.ts'

/** What records of one vulnerability come to for a component. */
function decide(
  component: { purl?: string; cpe?: string },
  ...records: ParsedRecord[]
): DecidedMatch | undefined {
  const result = identifyPackage({
    vendor: undefined,
    packageName: 'thing',
    version: undefined,
    purl: component.purl,
    cpes: component.cpe === undefined ? [] : [component.cpe],
    scope: undefined,
    builtFrom: undefined,
  })
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  const candidates = records.flatMap((record) => {
    if (!record.ok) throw new Error(record.reason)
    const { source, id, affected } = record.value
    return affected.map((one) => ({ source, advisoryId: id, affected: one }))
  })
  return decideMatch(matchPackage(result.identity, candidates))
}

const cpeOf = (product: string, version: string) => `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*`

const nvdRecord = (id: string, product: string, bounds: object) =>
  parseNvdRecord({
    cve: {
      id,
      sourceIdentifier: 'cve@mitre.org',
      published: '2023-10-07T01:15:00.000',
      lastModified: '2023-10-12T01:15:00.000',
      vulnStatus: 'Analyzed',
      descriptions: [],
      references: [],
      configurations: [
        {
          nodes: [
            {
              operator: 'OR',
              negate: false,
              cpeMatch: [{ vulnerable: true, criteria: cpeOf(product, '*'), ...bounds }],
            },
          ],
        },
      ],
    },
  })

const cveRecord = (id: string, containers: object) =>
  parseCveRecord({
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: { cveId: id, state: 'PUBLISHED' },
    containers,
  })

const affectedThing = (...versions: object[]) => ({
  affected: [{ vendor: 'acme', product: 'thing', versions, defaultStatus: 'unknown' }],
})

describe('a range whose beginning its record leaves out', () => {
  const id = 'CVE-2024-1000'
  const from3 = nvdRecord(id, 'acme:thing', {
    versionStartIncluding: '3.0',
    versionEndExcluding: '3.5',
  })
  const below3 = nvdRecord(id, 'acme:thing', { versionEndExcluding: '3.0' })
  const cna = (version: object) =>
    cveRecord(id, { cna: affectedThing({ status: 'affected', ...version }) })
  const adp = (version: object) =>
    cveRecord(id, {
      cna: { affected: [] },
      adp: [affectedThing({ status: 'affected', ...version })],
    })
  const prose = cna({ version: 'before 3.5' })

  it.each`
    version  | records                                                      | isAffected | because
    ${'2.0'} | ${[prose, from3]}                                            | ${false}   | ${'the other record says where it begins'}
    ${'3.1'} | ${[prose, from3]}                                            | ${true}    | ${'both say so'}
    ${'2.0'} | ${[prose]}                                                   | ${true}    | ${'nothing contradicts it'}
    ${'3.2'} | ${[prose, below3]}                                           | ${true}    | ${'the other record does not say where it begins either'}
    ${'2.0'} | ${[adp({ version: '0', lessThan: '3.5' }), from3]}           | ${false}   | ${'CISA writes 0 for what it does not know'}
    ${'2.0'} | ${[cna({ version: '0', lessThan: '3.5' }), from3]}           | ${true}    | ${'the maker says that the first version is affected'}
    ${'2.0'} | ${[cna({ version: 'unspecified', lessThan: '3.5' }), from3]} | ${false}   | ${'the beginning is not stated'}
    ${'2.0'} | ${[cna({ version: '1.0', lessThan: '3.5' }), from3]}         | ${true}    | ${'it says where it begins'}
    ${'4.0'} | ${[cna({ version: 'all versions' }), below3]}                | ${false}   | ${'it has no end either, and the other record has one'}
  `('at $version: $isAffected, as $because', ({ version, records, isAffected }) => {
    const match = decide(
      { cpe: cpeOf('acme:thing', String(version)) },
      ...(records as ParsedRecord[]),
    )

    expect(match !== undefined).toBe(isAffected)
  })

  it('is shown as outranked where another record says affected', () => {
    const listed = parseOsvRecord({
      id: 'OSV-2024-1',
      modified: '2024-01-01T00:00:00Z',
      affected: [{ package: { ecosystem: 'OSS-Fuzz', name: 'thing' }, versions: ['2.0'] }],
    })

    const match = decide(
      { cpe: cpeOf('acme:thing', '2.0'), purl: 'pkg:generic/thing@2.0' },
      prose,
      from3,
      listed,
    )

    expect(
      match?.evidence.map(({ source, verdict, range, outrankedBy }) => ({
        source,
        verdict,
        range,
        outrankedBy,
      })),
    ).toEqual([
      {
        source: 'cvelist',
        verdict: 'affected',
        range: 'before 3.5',
        outrankedBy: 'a record that says where the affected versions begin',
      },
      expect.objectContaining({ source: 'nvd', verdict: 'unaffected' }),
      expect.objectContaining({ source: 'osv', verdict: 'affected' }),
    ])
  })

  it('stands against a record that may be about another product', () => {
    const vendorless = { cpe: cpeOf('*:thing', '2.0') }
    const ofAnother = nvdRecord(id, 'other:thing', {
      versionStartIncluding: '3.0',
      versionEndExcluding: '3.5',
    })

    expect(decide({ cpe: cpeOf('acme:thing', '2.0') }, prose, ofAnother)).toBeDefined()
    expect(decide(vendorless, prose, from3)).toBeUndefined()
  })
})

// NVD's criterion of CVE-2023-45199, which no file of the shared data holds.
const MBED_TLS_3_2 = nvdRecord('CVE-2023-45199', 'arm:mbed_tls', {
  versionStartIncluding: '3.2.0',
  versionEndExcluding: '3.5.0',
})

describe('an ADP container', () => {
  const status = 'affected'
  const record = (cna: object[], adp: object[], defaultStatus = 'unaffected') =>
    cveRecord('CVE-2024-2000', {
      cna: { affected: [{ vendor: 'acme', product: 'thing', versions: cna, defaultStatus }] },
      adp: [
        {
          affected: [
            {
              vendor: 'acme',
              product: 'thing',
              cpes: [cpeOf('acme:thing', '*')],
              versions: adp,
              defaultStatus: 'unknown',
            },
          ],
        },
      ],
    })
  const upTo5 = { version: '4.0', lessThan: '5.0', status }
  const upTo50 = { version: '4.0', lessThan: '50', status }

  it.each`
    version  | cna                             | adp         | isAffected | because
    ${'6.0'} | ${[upTo5]}                      | ${[upTo50]} | ${false}   | ${'the CNA says where it ends'}
    ${'4.5'} | ${[upTo5]}                      | ${[upTo50]} | ${true}    | ${'both say so'}
    ${'4.5'} | ${[{ version: '4.0', status }]} | ${[upTo50]} | ${true}    | ${'a list of versions may leave some out'}
    ${'4.5'} | ${[]}                           | ${[upTo50]} | ${true}    | ${'the CNA states no versions'}
    ${'6.0'} | ${[upTo50]}                     | ${[upTo5]}  | ${true}    | ${'the CNA says so'}
  `('at $version beside its CNA: $isAffected, as $because', ({ version, cna, adp, isAffected }) => {
    const match = decide(
      { cpe: cpeOf('acme:thing', String(version)) },
      record(cna as object[], adp as object[]),
    )

    expect(match !== undefined).toBe(isAffected)
  })

  it('is shown where another record says affected', () => {
    const nvd = nvdRecord('CVE-2024-2000', 'acme:thing', { versionEndExcluding: '7.0' })

    const match = decide({ cpe: cpeOf('acme:thing', '6.0') }, record([upTo5], [upTo50]), nvd)

    expect(match?.evidence.flatMap(({ outrankedBy = [] }) => outrankedBy)).toEqual([
      'the statement of the CNA in the same record',
    ])
  })
})

describeWithSharedData('real records', (folder) => {
  it.each`
    cve                 | cpe                                  | isAffected | because
    ${'CVE-2022-27780'} | ${cpeOf('haxx:curl', '7.68.0')}      | ${false}   | ${'NVD begins at 7.80.0; the CNA and CISA state no beginning'}
    ${'CVE-2022-27780'} | ${cpeOf('haxx:curl', '7.79.1')}      | ${false}   | ${'it is the last release before the flaw'}
    ${'CVE-2022-27780'} | ${cpeOf('haxx:curl', '7.83.0')}      | ${true}    | ${'all agree'}
    ${'CVE-2022-27780'} | ${cpeOf('haxx:curl', '7.84.0')}      | ${false}   | ${'CISA states a later end than maker and NVD'}
    ${'CVE-2025-6965'}  | ${cpeOf('sqlite:sqlite', '3.50.4')}  | ${false}   | ${'Bitnami states no bounds, NVD the fix'}
    ${'CVE-2025-6965'}  | ${cpeOf('sqlite:sqlite', '3.50.1')}  | ${true}    | ${'all agree'}
    ${'CVE-2023-45199'} | ${cpeOf('arm:mbed_tls', '2.28.0')}   | ${false}   | ${'NVD begins at 3.2.0; CISA states no beginning'}
    ${'CVE-2023-45199'} | ${cpeOf('arm:mbed_tls', '3.4.1')}    | ${true}    | ${'all agree'}
    ${'CVE-2023-6937'}  | ${cpeOf('wolfssl:wolfssl', '5.6.6')} | ${false}   | ${'CISA writes 5.64 for the CNA’s 5.6.4'}
    ${'CVE-2023-6937'}  | ${cpeOf('wolfssl:wolfssl', '5.6.4')} | ${true}    | ${'the CNA says so'}
  `('$cve of $cpe: $isAffected, as $because', ({ cve, cpe, isAffected }) => {
    const records = [
      ...recordsOf(folder, String(cve)),
      ...(cve === 'CVE-2023-45199' ? [MBED_TLS_3_2] : []),
    ]

    expect(records.length).toBeGreaterThan(cve === 'CVE-2023-6937' ? 0 : 1)
    expect(decide({ cpe: String(cpe) }, ...records) !== undefined).toBe(isAffected)
  })
})

const FILES = [
  ['cve5/vulnrichment-firmware.jsonl.gz', parseCveRecord],
  ['nvd/nvd20-firmware-converted-from-11.jsonl.gz', parseNvdRecord],
  ['nvd/nvd-overrides.jsonl.gz', readOverride],
  ['osv/bitnami.jsonl.gz', parseOsvRecord],
] as const

/** Criteria that others add for NVD's record; the rest of the record is missing. */
function readOverride(json: unknown): ParsedRecord {
  const { _annotation, cve } = json as { _annotation: { cve_id: string }; cve: object }
  return parseNvdRecord({
    cve: {
      id: _annotation.cve_id,
      published: '2025-07-15T13:44:00.784',
      lastModified: '2025-07-15T13:55:46.280',
      ...cve,
    },
  })
}

const linesOf = new Map<string, string[]>()

function recordsOf(folder: string, cve: string): ParsedRecord[] {
  return FILES.flatMap(([path, parse]) => {
    const lines =
      linesOf.get(path) ??
      gunzipSync(readFileSync(join(folder, path)))
        .toString('utf8')
        .split('\n')
    linesOf.set(path, lines)
    const ofCve = [`"id":"${cve}"`, `"cveId":"${cve}"`, `"cve_id":"${cve}"`, `"aliases":["${cve}"`]
    return lines
      .filter((line) => ofCve.some((text) => line.includes(text)))
      .map((line) => parse(JSON.parse(line)))
  })
}

it('lets the record of a distribution decide where a CNA names the repository', () => {
  const id = 'CVE-2022-27776'
  const affected = (repo: object) => ({
    vendor: 'n/a',
    product: 'https://github.com/curl/curl',
    versions: [{ version: 'Fixed in 7.83.0', status: 'affected' }],
    ...repo,
  })
  const ofCna = cveRecord(id, {
    cna: {
      providerMetadata: { orgId: '36234546-b8fa-4601-9d6f-f4e334aa8ea1' },
      affected: [affected({ repo: 'https://github.com/curl/curl' })],
    },
  })
  const ofDebian = parseOsvRecord({
    id: `DEBIAN-${id}`,
    modified: '2026-06-01T00:00:00Z',
    aliases: [id],
    affected: [
      {
        package: { ecosystem: 'Debian:10', name: 'curl' },
        ranges: [
          { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '7.64.0-4+deb10u3' }] },
        ],
      },
    ],
  })
  const component = { purl: 'pkg:deb/debian/curl@7.64.0-4%2Bdeb10u3?distro=debian-10' }

  expect(decide(component, ofCna)?.confidence).toBeDefined()
  expect(decide(component, ofCna, ofDebian)).toBeUndefined()
})
