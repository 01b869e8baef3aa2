import { describe, expect, it } from 'vitest'
import { listFindingChanges, listPackageChanges } from './finding-changes.ts'

const held = (firmwareVersionId: string, packageId: string, componentCount = 1) => ({
  firmwareVersionId,
  packageId,
  componentCount,
})

describe('packages of firmware versions', () => {
  it('end with their last component, and begin with their first', () => {
    const moves = [{ firmwareVersionIds: ['v1', 'v2', 'v3'], before: 'old', after: 'new' }]

    const changes = listPackageChanges(moves, [
      held('v1', 'old'),
      // Another component keeps the package.
      held('v2', 'old', 2),
      held('v3', 'old'),
      held('v3', 'new'),
    ])

    expect(changes).toEqual([
      { ended: ['old'], begun: ['new'], firmwareVersionIds: ['v1'] },
      { ended: [], begun: ['new'], firmwareVersionIds: ['v2'] },
      { ended: ['old'], begun: [], firmwareVersionIds: ['v3'] },
    ])
  })

  it('are told once for all versions that change alike', () => {
    const moves = [{ firmwareVersionIds: ['v1', 'v1', 'v2'], before: null, after: 'new' }]

    const changes = listPackageChanges(moves, [])

    expect(changes).toEqual([{ ended: [], begun: ['new'], firmwareVersionIds: ['v1', 'v2'] }])
  })

  it('stay where one component takes the place of another', () => {
    const moves = [
      { firmwareVersionIds: ['v1'], before: 'a', after: 'b' },
      { firmwareVersionIds: ['v1'], before: 'b', after: 'a' },
    ]

    expect(listPackageChanges(moves, [held('v1', 'a'), held('v1', 'b')])).toEqual([])
  })
})

describe('findings', () => {
  const matches = new Map([
    ['old', [match('CVE-1', 'Low'), match('CVE-2', 'High'), match('CVE-3', 'High')]],
    ['new', [match('CVE-1', 'High'), match('CVE-3', 'High'), match('CVE-4', 'Medium')]],
  ])

  function match(vulnerabilityId: string, confidence: string) {
    return { vulnerabilityId, confidence }
  }

  it('appear, disappear, change their confidence or stay', () => {
    const changes = listFindingChanges(
      [
        { ended: ['old'], begun: ['new'], firmwareVersionIds: ['v1'] },
        { ended: [], begun: ['new'], firmwareVersionIds: ['v2', 'v3'] },
      ],
      matches,
    )

    expect(
      changes.map(({ vulnerabilityId, packageId, before, after, firmwareVersionCount }) => [
        vulnerabilityId,
        packageId,
        before,
        after,
        firmwareVersionCount,
      ]),
    ).toEqual([
      ['CVE-1', 'new', 'Low', 'High', 1],
      ['CVE-2', 'old', 'High', null, 1],
      ['CVE-3', 'new', 'High', 'High', 1],
      ['CVE-4', 'new', null, 'Medium', 3],
      ['CVE-1', 'new', null, 'High', 2],
      ['CVE-3', 'new', null, 'High', 2],
    ])
  })
})
