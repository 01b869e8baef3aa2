/** Flaws of another operating system than the firmware's, on the real records. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseCveRecord } from '../../formats/advisories/cve5.ts'
import type { ParsedRecord } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { readSystemPlatforms } from '../../formats/advisories/operating-systems.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { type IdentifiableComponent, identifyPackage } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'a',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}
const WINDOWS = 'cpe:2.3:o:microsoft:windows:-:*:*:*:*:*:*:*'

function decide(component: Partial<IdentifiableComponent>, ...records: ParsedRecord[]) {
  const result = identifyPackage({ ...NOTHING, ...component })
  if (!('identity' in result)) throw new Error('not identified')
  const candidates = records.flatMap((record) => {
    if (!record.ok) throw new Error(record.reason)
    const { source, id, affected } = record.value
    return affected.map((one) => ({ source, advisoryId: id, affected: one }))
  })
  return decideMatch(matchPackage(result.identity, candidates))
}

function notesOf(match: ReturnType<typeof decide>): string[] {
  return (
    match?.evidence.flatMap(({ notes, outrankedBy = [] }) => [...notes, outrankedBy]).flat() ?? []
  )
}

it.each`
  names                             | expected
  ${['Windows']}                    | ${['cpe:2.3:o:microsoft:windows:*:*:*:*:*:*:*:*']}
  ${['64 bit', 'Windows', 'MacOS']} | ${['cpe:2.3:o:microsoft:windows:*:*:*:*:*:*:*:*', 'cpe:2.3:o:apple:macos:*:*:*:*:*:*:*:*']}
  ${['x64-based Systems']}          | ${undefined}
  ${['Windows', 'Snapdragon Auto']} | ${undefined}
  ${[]}                             | ${undefined}
`('platforms $names are $expected', ({ names, expected }) => {
  expect(readSystemPlatforms(names as string[])).toEqual(expected)
})

describe('a record of the CVE List', () => {
  const record = (platforms: string[]) =>
    parseCveRecord({
      dataType: 'CVE_RECORD',
      dataVersion: '5.1',
      cveMetadata: { cveId: 'CVE-2024-1000', state: 'PUBLISHED' },
      containers: {
        cna: {
          affected: [
            {
              vendor: 'acme',
              product: 'thing',
              platforms,
              versions: [
                { version: '0', lessThan: '2.0', status: 'affected', versionType: 'semver' },
              ],
            },
          ],
        },
      },
    })
  const thing = { cpes: ['cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:*:*'] }

  it('of Windows only is uncertain, and says why', () => {
    const match = decide(thing, record(['Windows']))

    expect(match?.confidence).toBe('Low')
    expect(notesOf(match)).toContain('it needs windows, which nothing tells of')
  })

  it.each([[['Linux', 'Windows']], [['64 bit']], [['All']]])(
    'of %s is as certain as others',
    (names) => {
      expect(decide(thing, record(names))?.confidence).toBe('Medium')
    },
  )
})

describeWithSharedData('a flaw of Windows only', (folder) => {
  const linesOf = (file: string) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .trimEnd()
      .split('\n')
  const osv = (file: string, id: string) =>
    parseOsvRecord(
      JSON.parse(linesOf(file).find((line) => line.includes(`"id":"${id}"`)) ?? 'null'),
    )
  const golang = (id: string) => osv('osv/golang-vulndb.jsonl.gz', id)

  it('is uncertain in Go, where its database names the systems of a package', () => {
    const go = { purl: 'pkg:generic/go@1.14', cpes: ['cpe:2.3:a:golang:go:1.14:*:*:*:*:*:*:*'] }

    const match = decide(
      go,
      golang('GO-2021-0068'),
      osv('osv/bitnami.jsonl.gz', 'BIT-golang-2021-3115'),
    )

    expect(match?.confidence).toBe('Low')
    expect(notesOf(match)).toContain('it needs windows, which nothing tells of')
    // The flaw of GO-2026-4864 is in Linux.
    expect(decide({ purl: 'pkg:golang/stdlib@1.14' }, golang('GO-2026-4864'))?.confidence).toBe(
      'High',
    )
  })

  it('is uncertain where NVD names Windows, whatever Bitnami says of the same versions', () => {
    const node = { cpes: ['cpe:2.3:a:nodejs:node.js:14.1.0:*:*:*:*:*:*:*'] }
    const bitnami = osv('osv/bitnami.jsonl.gz', 'BIT-node-min-2021-22921')
    // As NVD has it since 2021-07-14.
    const nvd = parseNvdRecord({
      cve: {
        id: 'CVE-2021-22921',
        published: '2021-07-12T11:15:00.000',
        lastModified: '2021-07-14T16:00:00.000',
        vulnStatus: 'Analyzed',
        descriptions: [],
        references: [],
        configurations: [
          {
            operator: 'AND',
            nodes: [
              {
                operator: 'OR',
                negate: false,
                cpeMatch: [
                  {
                    vulnerable: true,
                    criteria: 'cpe:2.3:a:nodejs:node.js:*:*:*:*:-:*:*:*',
                    versionStartIncluding: '14.0.0',
                    versionEndIncluding: '14.14.0',
                  },
                ],
              },
              {
                operator: 'OR',
                negate: false,
                cpeMatch: [{ vulnerable: false, criteria: WINDOWS }],
              },
            ],
          },
        ],
      },
    })

    expect(decide(node, bitnami)?.confidence).toBe('High')
    const match = decide(node, bitnami, nvd)

    expect(match?.confidence).toBe('Low')
    expect(notesOf(match)).toEqual(
      expect.arrayContaining([
        'it needs windows, which nothing tells of',
        'a record that says on which operating systems the flaw exists',
      ]),
    )
  })

  it('stays certain where the CNA leaves the systems open', () => {
    const line = linesOf('nvd/nvd20-sample.jsonl.gz').find((one) =>
      one.includes('"id":"CVE-2025-15558"'),
    )
    const nvd = parseNvdRecord(JSON.parse(line ?? 'null'))
    const docker = { cpes: ['cpe:2.3:a:docker:command_line_interface:29.0.0:*:*:*:*:*:*:*'] }
    const cna = parseCveRecord({
      dataType: 'CVE_RECORD',
      dataVersion: '5.1',
      cveMetadata: { cveId: 'CVE-2025-15558', state: 'PUBLISHED' },
      containers: {
        cna: {
          affected: [
            {
              vendor: 'docker',
              product: 'command_line_interface',
              versions: [
                {
                  version: '19.03.0',
                  lessThan: '29.2.0',
                  status: 'affected',
                  versionType: 'semver',
                },
              ],
            },
          ],
        },
      },
    })

    expect(decide(docker, nvd)?.confidence).toBe('Low')
    expect(decide(docker, nvd, cna)?.confidence).not.toBe('Low')
  })
})
