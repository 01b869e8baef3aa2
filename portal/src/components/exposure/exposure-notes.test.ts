import { expect, it } from 'vitest'
import { findNotes } from './exposure-notes.ts'

const instant = (day: number) => new Date(Date.UTC(2026, 10, day, 12))
const row = (day: number, critical: number) => ({
  at: instant(day),
  total: 100,
  counts: { critical, high: 100 - critical },
})
const rollout = (from: number, to: number | null) => ({
  deploymentId: `${from}`,
  deploymentCohortId: 'c',
  cohortName: 'eu-west',
  firmwareVersionId: 'v',
  firmwareName: 'gateway',
  firmwareVersionName: '4.2',
  startedAt: instant(from).toISOString(),
  endedAt: null,
  finishedAt: to === null ? null : instant(to).toISOString(),
  state: 'Running',
  isRollback: false,
})

const release = (day: number) => ({
  at: instant(day).toISOString(),
  firmwareVersionId: `${day}`,
  firmwareId: 'f',
  firmwareName: 'gateway',
  version: '4.1',
})
const NOTHING = { rollouts: [], releases: [] }

const summarise = (notes: ReturnType<typeof findNotes>) =>
  notes.map(({ layer, change, after, rollout: ran, releases }) => [
    layer,
    change,
    after.at.getUTCDate(),
    ran?.firmwareVersionName,
    releases.map(({ version }) => version),
  ])

it('notes what changed while a roll-out ran, and what changed in a day without one', () => {
  const rows = [10, 60, 60, 50, 40, 30, 30].map((critical, index) => row(index + 1, critical))

  const notes = findNotes(rows, {
    rollouts: [rollout(3, 6), rollout(4, null)],
    releases: [release(2), release(5)],
  })

  expect(summarise(notes)).toEqual([
    ['critical', 50, 2, undefined, ['4.1']],
    ['critical', -30, 6, '4.2', []],
  ])
})

it('notes nothing of days that hardly differ, or that nobody counted', () => {
  expect(findNotes([row(1, 50), row(2, 51), row(9, 10)], NOTHING)).toEqual([])
  expect(findNotes([], { rollouts: [rollout(1, 2)], releases: [] })).toEqual([])
})
