import { describe, expect, it } from 'vitest'
import type { SsvcSettings } from '@plimsoll/api-client'
import {
  applyChanges as apply,
  type Changes,
  countOutcomes,
  isSame,
  NO_CHANGES,
  readTables,
} from './stated.ts'

const SETTINGS: SsvcSettings = {
  id: 'w',
  tree: 'Fleet',
  treeName: 'CISA with the fleet',
  outcomes: ['Track', 'Track*', 'Attend', 'Act'],
  updatedAt: null,
  manyDevices: 100,
  targetDays: { Act: 7 },
  gateFrom: 'Act',
  products: [{ firmwareId: 'pump', missionPrevalence: 'Support', publicWellBeing: null }],
  cohorts: [{ cohortId: 'cellar', exposure: 'Small' }],
}

const applyChanges = (settings: SsvcSettings, changes: Changes) =>
  apply(settings, changes, settings.outcomes)

describe('changes of what SSVC decides by', () => {
  it('leave what they do not touch, which others may state meanwhile', () => {
    const changes = {
      ...NO_CHANGES,
      exposures: { roof: 'Open' as const },
      products: { valve: { missionPrevalence: 'Minimal' as const, publicWellBeing: null } },
    }
    const others = { ...SETTINGS, tree: 'Cisa', cohorts: [] }
    expect(applyChanges(others, changes)).toEqual({
      tree: 'Cisa',
      manyDevices: 100,
      targetDays: { Act: 7 },
      gateFrom: 'Act',
      products: [
        SETTINGS.products[0],
        { firmwareId: 'valve', missionPrevalence: 'Minimal', publicWellBeing: null },
      ],
      cohorts: [{ cohortId: 'roof', exposure: 'Open' }],
    })
  })

  it('take back what is no longer known, and are none once they are taken back themselves', () => {
    const unknown = applyChanges(SETTINGS, {
      ...NO_CHANGES,
      products: { pump: { missionPrevalence: null, publicWellBeing: null } },
      exposures: { cellar: null },
    })
    expect([unknown.products, unknown.cohorts]).toEqual([[], []])
    expect(isSame(unknown, SETTINGS)).toBe(false)
    const same = applyChanges(SETTINGS, { ...NO_CHANGES, exposures: { cellar: 'Small' } })
    expect(isSame(same, SETTINGS)).toBe(true)
  })
})

it('keeps what the release gate asks for until that is changed', () => {
  const switchedOff = applyChanges(SETTINGS, { ...NO_CHANGES, gateFrom: null })
  expect([switchedOff.gateFrom, isSame(switchedOff, SETTINGS)]).toEqual([null, false])
  const same = applyChanges(SETTINGS, { ...NO_CHANGES, gateFrom: 'Act' })
  expect(isSame(same, SETTINGS)).toBe(true)
})

it('keeps the targets of the outcomes that the tree has', () => {
  const changes = { ...NO_CHANGES, targetDays: { Attend: 30, Now: 1 } }
  expect(apply(SETTINGS, changes, SETTINGS.outcomes).targetDays).toEqual({ Act: 7, Attend: 30 })
  expect(apply(SETTINGS, changes, ['Later', 'Now']).targetDays).toEqual({ Now: 1 })
  const none = { ...NO_CHANGES, targetDays: { Act: null } }
  expect(apply(SETTINGS, none, SETTINGS.outcomes).targetDays).toEqual({})
})

it('counts each outcome before and after, also those that only one of the trees has', () => {
  const changes = [
    { from: 'Act', to: 'Now', count: 2 },
    { from: 'Track', to: 'Later', count: 5 },
    { from: 'Act', to: 'Later', count: 1 },
  ]
  const outcomes = { now: ['Track', 'Act'], next: ['Later', 'Now'] }
  expect(countOutcomes({ changes }, outcomes)).toEqual([
    { outcome: 'Act', before: 3, after: 0 },
    { outcome: 'Track', before: 5, after: 0 },
    { outcome: 'Now', before: 0, after: 2 },
    { outcome: 'Later', before: 0, after: 6 },
  ])
})

it.each([
  ['one table', '{"name":"a"}', [{ name: 'a' }]],
  ['several', '[{"name":"a"},{"name":"b"}]', [{ name: 'a' }, { name: 'b' }]],
  ['what the service answers', '{"id":"1","tables":[{"name":"a"}]}', [{ name: 'a' }]],
])('reads %s from a file', (_, text, tables) => {
  expect(readTables(text)).toEqual(tables)
})
