import { describe, expect, it } from 'vitest'
import type { AffectedStatement } from '../../formats/advisories/model.ts'
import { type AffectedRow, groupAffectedPackages, listFixedVersions } from './affected-packages.ts'

describe('what is affected', () => {
  const row = (statement: Partial<AffectedStatement>): AffectedRow => ({
    source: 'cvelist',
    advisoryId: 'CVE-2024-1',
    key: 'cpe:acme:thing',
    statements: [{ scheme: 'generic', defaultStatus: 'unaffected', versions: [], ...statement }],
  })
  const range = row({
    vendor: 'Acme',
    packageName: 'Thing',
    versions: [
      { status: 'affected', introduced: '1.0', fixed: '1.9', text: 'a' },
      { status: 'affected', introducedAfter: '2.0', lastAffected: '2.5', text: 'b' },
      { status: 'unaffected', introduced: '3.0', text: 'c' },
    ],
  })

  it('shows the bounds of each range, and each statement once', () => {
    const none = {
      cpe: null,
      versionStartIncluding: null,
      versionStartExcluding: null,
      versionEndIncluding: null,
      versionEndExcluding: null,
    }

    expect(groupAffectedPackages([range, range])).toEqual([
      {
        purl: null,
        packageName: 'Thing',
        vendor: 'Acme',
        source: 'cvelist',
        advisoryId: 'CVE-2024-1',
        versions: [
          { ...none, versionStartIncluding: '1.0', versionEndExcluding: '1.9' },
          { ...none, versionStartExcluding: '2.0', versionEndIncluding: '2.5' },
        ],
      },
    ])
  })

  it.each`
    version  | fixed
    ${'1.5'} | ${['1.9', '3.0']}
    ${'2.1'} | ${['3.0']}
    ${null}  | ${['1.9', '3.0']}
  `(
    'is fixed for $version in $fixed',
    ({ version, fixed }: { version: string | null; fixed: string[] }) => {
      expect(listFixedVersions([range], version)).toEqual(fixed)
    },
  )

  it('takes no made-up end of a branch for a release', () => {
    const branch = row({
      versions: [
        {
          status: 'affected',
          introduced: '5.10',
          fixed: '5.11',
          fixedIsDerived: true,
          text: '5.10.*',
        },
      ],
    })

    expect(listFixedVersions([branch], '5.10.3')).toEqual([])
  })
})
