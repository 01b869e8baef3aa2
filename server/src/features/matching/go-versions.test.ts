import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { Advisory } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { identifyPackage } from '../../formats/identity.ts'
import { isGoPseudoVersion } from '../../formats/versions/semver.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

function verdictOf(
  component: { purl: string; cpes?: string[] },
  { source, id, affected }: Advisory,
) {
  const result = identifyPackage({
    vendor: undefined,
    packageName: 'module',
    version: undefined,
    cpes: [],
    scope: undefined,
    builtFrom: undefined,
    ...component,
  })
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  const verdicts = matchPackage(
    result.identity,
    affected.map((one) => ({ source, advisoryId: id, affected: one })),
  )
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
    id                | module                        | version                                   | expected        | because
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'} | ${'v3.3.1'}                               | ${'unaffected'} | ${'a range beside those of module versions has the fix'}
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'} | ${'v3.3.0'}                               | ${'affected'}   | ${'it is older'}
    ${'GO-2024-2430'} | ${'github.com/cubefs/cubefs'} | ${'v0.0.0-20230101000000-dd46c24873c8'}   | ${'affected'}   | ${'nothing says that the commit has the fix'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}  | ${'v5.0.3'}                               | ${'affected'}   | ${'it is older'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}  | ${'v5.0.4-0.20231016150651-428517fef5b9'} | ${'unaffected'} | ${'it is the commit of the fix'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v5'}  | ${'v5.0.4-0.20230916150651-428517fef5b8'} | ${'affected'}   | ${'the commit is older'}
    ${'GO-2023-2385'} | ${'github.com/pubnub/go/v7'}  | ${'v7.2.0'}                               | ${'unaffected'} | ${'it is the fix'}
  `('$id says $expected of $module $version, as $because', (row) => {
    const { id, module, version, expected } = row as Record<string, string>

    expect(verdictOf({ purl: `pkg:golang/${module}@${version}` }, recordOf(String(id)))).toBe(
      expected,
    )
  })
})
