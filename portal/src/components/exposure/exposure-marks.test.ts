import type { Exposure } from '@plimsoll/api-client'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupIntoLanes, placeReleases } from './exposure-marks.ts'

type Rollout = Exposure['rollouts'][number]

const release = (day: number, version: string) => ({
  at: String(day),
  firmwareVersionId: version,
  firmwareId: 'f',
  firmwareName: 'gateway',
  version,
})
const placeOf = Number

it('names the newest release, left of its point at the right edge', () => {
  const [newest, older] = placeReleases([release(60, '1.0'), release(395, '2.0')], {
    left: 44,
    right: 400,
    placeOf,
  })

  expect([newest?.label, newest?.side]).toEqual(['gateway 2.0', 'left'])
  expect([older?.label, older?.side]).toEqual(['gateway 1.0', 'right'])
})

it('writes the version alone where the name has no room', () => {
  const placed = placeReleases([release(330, '1.0'), release(398, '2.0')], {
    left: 44,
    right: 400,
    placeOf,
  })

  expect(placed.map(({ label, side }) => [label, side])).toEqual([
    ['2.0', 'left'],
    ['1.0', 'right'],
  ])
})

it('never writes a name over another one or over a point', () => {
  const places = fc.array(fc.integer({ min: 44, max: 400 }), { maxLength: 20 })
  fc.assert(
    fc.property(places, (days) => {
      const releases = days
        .toSorted((a, b) => a - b)
        .map((day, index) => release(day, `${index}.0`))

      const placed = placeReleases(releases, { left: 44, right: 400, placeOf })

      const taken = placed.flatMap(({ left, label, side }) => {
        const room = 9 + label.length * 6.4
        if (side === undefined) return []
        return [side === 'right' ? [left + 1, left + room] : [left - room, left - 1]]
      })
      const isFree = ([from = 0, to = 0]: number[]) =>
        days.every((day) => day < from || day >= to) &&
        taken.filter(([start = 0, end = 0]) => start < to && from < end).length === 1
      return taken.every((one) => isFree(one))
    }),
  )
})

const rollout = (cohort: string, day: string): Rollout => ({
  deploymentId: `${cohort} ${day}`,
  deploymentCohortId: cohort,
  cohortName: `Cohort ${cohort}`,
  firmwareVersionId: null,
  firmwareName: null,
  firmwareVersionName: null,
  startedAt: day,
  endedAt: null,
  finishedAt: null,
  state: 'Running',
  isRollback: false,
})

it('gives each cohort a lane with its roll-outs in their order, the cohorts of the newest ones', () => {
  const old = Array.from({ length: 5 }, (_, index) => rollout(`old ${index}`, '1'))
  const recent = ['c', 'a', 'b', 'a'].map((cohort, index) => rollout(cohort, String(index + 2)))

  const { lanes, hidden } = groupIntoLanes([...old, ...recent])

  expect(lanes.map(({ cohortId }) => cohortId).slice(0, 3)).toEqual(['a', 'b', 'c'])
  expect(lanes[0]?.rollouts.map(({ startedAt }) => startedAt)).toEqual(['3', '5'])
  expect([lanes.length, hidden]).toEqual([8, 0])
  expect(groupIntoLanes([...old, ...recent, rollout('z', '9')]).hidden).toBe(1)
})
