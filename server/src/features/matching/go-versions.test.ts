import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { Advisory } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { identifyPackage, type IdentifiableComponent } from '../../formats/identity.ts'
import { isGoPseudoVersion } from '../../formats/versions/semver.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'module',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

function candidatesOf({ source, id, affected }: Advisory) {
  return affected.map((one) => ({ source, advisoryId: id, affected: one }))
}

function recordOfTools(fixed: string): Advisory {
  const parsed = parseOsvRecord({
    id: 'GO-2022-9999',
    modified: '2022-08-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'Go', name: 'toolchain' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
  })
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

function verdictOf(component: { purl?: string; cpes?: string[] }, advisory: Advisory) {
  const result = identifyPackage({ ...NOTHING, ...component })
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  const verdicts = matchPackage(result.identity, candidatesOf(advisory))
  if (decideMatch(verdicts)) return 'affected'
  return verdicts[0]?.reasons[0] ?? verdicts[0]?.verdict ?? 'silent'
}

it.each`
  version                                             | expected
  ${'v0.0.0-20231016150651-428517fef5b9'}             | ${true}
  ${'v1.2.4-0.20231016150651-428517fef5b9'}           | ${true}
  ${'v17.12.0-ce-rc1.0.20200916142827-bd33bbf0497b'}  | ${true}
  ${'2.0.0-20231016150651-428517fef5b9+incompatible'} | ${true}
  ${'v17.12.0-ce-rc1'}                                | ${false}
  ${'v1.2.3'}                                         | ${false}
  ${'1.2.3-20231016'}                                 | ${false}
`('$version is a pseudo-version: $expected', ({ version, expected }) => {
  expect(isGoPseudoVersion(String(version))).toBe(expected)
})

it('a pseudo-version is a commit to records that compare numbers', () => {
  const parsed = parseNvdRecord({
    cve: {
      id: 'CVE-2017-1000',
      published: '2017-11-01T00:00:00.000',
      lastModified: '2017-11-01T00:00:00.000',
      configurations: [
        {
          nodes: [
            {
              operator: 'OR',
              negate: false,
              cpeMatch: [
                {
                  vulnerable: true,
                  criteria: 'cpe:2.3:a:docker:docker:*:*:*:*:*:*:*:*',
                  versionEndExcluding: '18.06',
                },
              ],
            },
          ],
        },
      ],
    },
  })
  if (!parsed.ok) throw new Error(parsed.reason)
  const version = 'v17.12.0-ce-rc1.0.20200916142827-bd33bbf0497b'

  const verdict = verdictOf(
    {
      purl: `pkg:golang/github.com/docker/docker@${version}`,
      cpes: [`cpe:2.3:a:docker:docker:${version}:*:*:*:*:*:*:*`],
    },
    parsed.value,
  )

  expect(verdict).toBe('version is a commit')
})

describeWithSharedData('records of Go', (folder) => {
  const lines = () =>
    gunzipSync(readFileSync(join(folder, 'osv/golang-vulndb.jsonl.gz')))
      .toString('utf8')
      .split('\n')
  const recordOf = (id: string): Advisory => {
    const line = lines().find((one) => one.includes(`"id":"${id}"`)) ?? 'null'
    const parsed = parseOsvRecord(JSON.parse(line))
    if (!parsed.ok) throw new Error(parsed.reason)
    return parsed.value
  }

  it.each`
    id                | module                                            | version                                   | expected        | because
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'}                     | ${'v3.3.1'}                               | ${'unaffected'} | ${'a range beside those of module versions has the fix'}
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'}                     | ${'v3.3.0'}                               | ${'affected'}   | ${'it is older'}
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'}                     | ${'v0.0.0-20230101000000-dd46c24873c8'}   | ${'affected'}   | ${'nothing says that the commit has the fix'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}                      | ${'v5.0.3'}                               | ${'affected'}   | ${'it is older'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}                      | ${'v5.0.4-0.20231016150651-428517fef5b9'} | ${'unaffected'} | ${'it is the commit of the fix'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}                      | ${'v5.0.4-0.20230916150651-428517fef5b8'} | ${'affected'}   | ${'the commit is older'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v7'}                      | ${'v7.2.0'}                               | ${'unaffected'} | ${'it is the fix'}
    ${'GO-2026-4610'} | ${'github.com/docker/cli'}                        | ${'v29.1.5+incompatible'}                 | ${'affected'}   | ${'the range without an end begins before it'}
    ${'GO-2026-4610'} | ${'github.com/docker/cli'}                        | ${'v29.2.0+incompatible'}                 | ${'unaffected'} | ${'the module has a fix, which ends the range'}
    ${'GO-2026-5740'} | ${'github.com/gohugoio/hugo'}                     | ${'v0.161.0'}                             | ${'unaffected'} | ${'it is the fix'}
    ${'GO-2024-3189'} | ${'github.com/btcsuite/btcd'}                     | ${'v0.24.2'}                              | ${'unaffected'} | ${'it has the fix'}
    ${'GO-2025-3826'} | ${'github.com/goharbor/harbor'}                   | ${'v2.12.3+incompatible'}                 | ${'affected'}   | ${'it is older than the fix of its branch'}
    ${'GO-2025-3826'} | ${'github.com/goharbor/harbor'}                   | ${'v2.12.4+incompatible'}                 | ${'unaffected'} | ${'the fix of the branch ends the range'}
    ${'GO-2025-3826'} | ${'github.com/goharbor/harbor'}                   | ${'v2.13.0+incompatible'}                 | ${'affected'}   | ${'a range of the module begins again'}
    ${'GO-2026-5102'} | ${'github.com/kumahq/kuma/v2'}                    | ${'v2.12.1'}                              | ${'affected'}   | ${'a range beside those of module versions begins before it'}
    ${'GO-2026-5102'} | ${'github.com/kumahq/kuma/v2'}                    | ${'v2.12.10'}                             | ${'unaffected'} | ${'each range ends with the next fix'}
    ${'GO-2026-5602'} | ${'github.com/external-secrets/external-secrets'} | ${'v2.1.0'}                               | ${'affected'}   | ${'no fix of the module is later'}
  `('$id says $expected of $module $version, as $because', (row) => {
    const { id, module, version, expected } = row as Record<string, string>

    expect(verdictOf({ purl: `pkg:golang/${module}@${version}` }, recordOf(String(id)))).toBe(
      expected,
    )
  })

  it.each`
    id                | component                           | expected        | because
    ${'GO-2021-0234'} | ${'cpe:2.3:a:golang:go:1.14'}       | ${'affected'}   | ${'Go 1.14 has the library 1.14'}
    ${'GO-2021-0234'} | ${'cpe:2.3:a:golang:go:1.15.9'}     | ${'unaffected'} | ${'it is the fix'}
    ${'GO-2021-0068'} | ${'cpe:2.3:a:golang:go:1.14'}       | ${'affected'}   | ${'Go 1.14 has the tools 1.14'}
    ${'GO-2021-0234'} | ${'pkg:golang/stdlib@1.14'}         | ${'affected'}   | ${'it is the library'}
    ${'GO-2021-0068'} | ${'pkg:golang/stdlib@1.14'}         | ${'unaffected'} | ${'programs do not contain the tools'}
    ${'GO-2021-0234'} | ${'pkg:deb/debian/golang@2:1.14-1'} | ${'silent'}     | ${'a distribution has records of its own'}
  `('$id says $expected of $component, as $because', (row) => {
    const { id, component, expected } = row as Record<'id' | 'component' | 'expected', string>
    const cpe = component.startsWith('cpe:') ? `${component}:*:*:*:*:*:*:*` : undefined

    const verdict = verdictOf(
      cpe === undefined ? { purl: component } : { purl: 'pkg:generic/compiler@1', cpes: [cpe] },
      recordOf(id),
    )

    expect(verdict).toBe(expected)
  })
})

describeWithSharedData('records of NVD about Go as a whole', (folder) => {
  it('are about programs with its library too, unless Go says that the flaw is one of the tools', () => {
    const lines = gunzipSync(readFileSync(join(folder, 'nvd/nvd20-sample.jsonl.gz')))
      .toString('utf8')
      .split('\n')
    const line = lines.find((one) => one.includes('"id":"CVE-2022-1705"')) ?? 'null'
    const nvd = parseNvdRecord(JSON.parse(line))
    if (!nvd.ok) throw new Error(nvd.reason)
    const tools = recordOfTools('1.18.4')

    const candidates = [nvd.value, tools].map(candidatesOf)
    const result = identifyPackage({ ...NOTHING, purl: 'pkg:golang/stdlib@1.18.3' })
    if (!('identity' in result)) throw new Error(result.notMatchedReason)

    expect(decideMatch(matchPackage(result.identity, candidates[0] ?? []))).toMatchObject({
      confidence: 'Medium',
    })
    expect(decideMatch(matchPackage(result.identity, candidates.flat()))).toBeUndefined()
  })
})
