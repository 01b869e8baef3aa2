import { describe, expect, it } from 'vitest'
import type { AffectedStatement } from '../../formats/advisories/model.ts'
import type { Evidence } from './evidence.ts'
import type { AffectedRow } from './affected-packages.ts'
import { drawFleetLine, drawVersionLine } from './version-line.ts'

const row = (
  source: AffectedRow['source'],
  ...versions: AffectedStatement['versions']
): AffectedRow => ({
  source,
  advisoryId: 'CVE-2024-1',
  key: 'cpe:acme:thing',
  statements: [{ scheme: 'generic', defaultStatus: 'unaffected', versions }],
})
const affected = (introduced: string, fixed: string) =>
  ({ status: 'affected', introduced, fixed, text: '' }) as const
const matched = (version: string) =>
  [{ verdict: 'affected', version, comparator: 'generic' }] as unknown as Evidence[]

describe('the line of versions', () => {
  it('puts the ranges of all sources and our version on one axis', () => {
    const rows = [
      row('nvd', affected('3.15', '5.15.149')),
      row('osv', affected('3.15.0', '5.15.149'), affected('6.1', '6.1.76')),
    ]

    expect(drawVersionLine(rows, matched('5.15.120'))).toEqual({
      stops: [
        { text: '3.15', isOurs: false },
        { text: '5.15.120', isOurs: true },
        { text: '5.15.149', isOurs: false },
        { text: '6.1', isOurs: false },
        { text: '6.1.76', isOurs: false },
      ],
      lanes: [
        { source: 'nvd', stretches: [{ from: 0, to: 2, isToAffected: false }] },
        {
          source: 'osv',
          stretches: [
            { from: 0, to: 2, isToAffected: false },
            { from: 3, to: 4, isToAffected: false },
          ],
        },
      ],
    })
  })

  it('leaves a range open that has no beginning or no end', () => {
    const rows = [
      row('nvd', { status: 'affected', introduced: '0', lastAffected: '2.5', text: '' }),
      row('osv', { status: 'affected', introducedAfter: '1.0', text: '' }),
    ]

    expect(drawVersionLine(rows, matched('2.0'))?.lanes).toEqual([
      { source: 'nvd', stretches: [{ from: null, to: 2, isToAffected: true }] },
      { source: 'osv', stretches: [{ from: 0, to: null, isToAffected: true }] },
    ])
  })

  it('keeps the stops around our version where there are many', () => {
    const many = Array.from({ length: 40 }, (_, major) => affected(`${major}.1`, `${major}.5`))

    const line = drawVersionLine([row('nvd', ...many)], matched('20.3'))

    expect(line?.stops).toHaveLength(11)
    expect(line?.stops[5]).toEqual({ text: '20.3', isOurs: true })
    expect(line?.lanes[0]?.stretches).toContainEqual({ from: 4, to: 6, isToAffected: false })
  })

  it('draws nothing without a version of ours, or without ranges in its ordering', () => {
    expect(drawVersionLine([row('nvd', affected('1', '2'))], [])).toBeUndefined()
    expect(drawVersionLine([], matched('1.5'))).toBeUndefined()
  })
})

describe('the line of many versions of ours', () => {
  const rows = [
    row('nvd', affected('6.2', '6.6.137'), affected('6.7', '6.12.85'), affected('6.13', '6.18.22')),
    row('cvelist', affected('6.2', '6.6.137')),
  ]
  const scheme = 'generic' as const

  it('has the ranges that hold one of them, and names the fix of each branch', () => {
    const ours = { scheme, affected: ['6.6.121', '6.12.60'], fixed: ['6.6.152'] }
    const line = drawFleetLine(rows, ours)

    expect(line).toMatchObject({
      stops: ['6.2', '6.6.121', '6.6.137', '6.6.152', '6.7', '6.12.60', '6.12.85'],
      otherRangeCount: 1,
      fixedVersions: ['6.6.137', '6.12.85'],
    })
    expect(line?.lanes[0]?.stretches).toEqual([
      { from: 0, to: 2, isToAffected: false },
      { from: 4, to: 6, isToAffected: false },
    ])
    expect(['6.6.121', '6.6.152', '6.18.1'].map((at) => line?.placeOf(at))).toEqual([
      1,
      3,
      undefined,
    ])
  })

  it('is none where no range holds one of them', () => {
    expect(drawFleetLine(rows, { scheme, affected: ['6.6.152'], fixed: [] })).toBeUndefined()
  })
})
