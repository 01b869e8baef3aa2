/** Crashes by day. A day on which no device could report one is not measured, which is not zero. */
import { addDays } from '../../formats/instants.ts'
import { formatDay } from '../../formats/support/states.ts'
import type { AppContext } from '../../platform/context.ts'
import * as store from './trend-store.ts'

type Reading = Pick<AppContext, 'db' | 'now'>

interface TrendGroup {
  id: string
  firmware: { id: string } | null
}

const SHORT_DAYS = 14
const DAYS = 30
const VERSIONS_COMPARED = 5

const listDays = (now: Date, days: number) =>
  Array.from({ length: days }, (_, at) => formatDay(addDays(now, at - days + 1)))

/** By group: crashes on each of the last days, the oldest first. null: not measured. */
export async function readShortTrends(
  ctx: Reading,
  workspaceId: string,
  groups: readonly TrendGroup[],
): Promise<Map<string, (number | null)[]>> {
  const read = await readGroupDays(ctx, { workspaceId, groups, days: SHORT_DAYS })
  return new Map(
    groups.map((group) => [
      group.id,
      read(group).map(({ crashCount, reportingDeviceCount }) =>
        crashCount === 0 && reportingDeviceCount === 0 ? null : crashCount,
      ),
    ]),
  )
}

export async function readGroupTrend(ctx: Reading, workspaceId: string, group: TrendGroup) {
  const read = await readGroupDays(ctx, { workspaceId, groups: [group], days: DAYS })
  return read(group)
}

interface AskedDays {
  workspaceId: string
  groups: readonly TrendGroup[]
  days: number
}

async function readGroupDays({ db, now }: Reading, { workspaceId, groups, days }: AskedDays) {
  const span = { now: now(), days }
  const ids = groups.map(({ id }) => id)
  const counted = await store.listGroupDays(db, workspaceId, ids, span)
  const measured = await store.listMeasuredDays(db, workspaceId, span)
  const counts = new Map(counted.map((one) => [`${one.day} ${one.groupId}`, one]))
  const devices = new Map<string, number>()
  const add = (key: string, count: number) => devices.set(key, (devices.get(key) ?? 0) + count)
  for (const { firmwareId, day, deviceCount } of measured) {
    add(`${day} ${firmwareId}`, deviceCount)
    add(day, deviceCount)
  }
  return ({ id, firmware }: TrendGroup) =>
    listDays(span.now, days).map((day) => {
      const { crashCount = 0, deviceCount = 0 } = counts.get(`${day} ${id}`) ?? {}
      // Where it is not known which firmware crashed, any may have.
      const key = firmware === null ? day : `${day} ${firmware.id}`
      return { day, crashCount, deviceCount, reportingDeviceCount: devices.get(key) ?? 0 }
    })
}

/** Of the version and those before it. Days that are left out were not measured. */
export async function readVersionTrends(
  { db, now }: Reading,
  version: { workspaceId: string; firmwareVersionId: string },
) {
  const span = { now: now(), days: DAYS, most: VERSIONS_COMPARED }
  const rows = await store.listVersionDays(db, version, span)
  const byVersion = Map.groupBy(rows, ({ firmwareVersionId }) => firmwareVersionId)
  return [...byVersion].map(([id, days]) => ({
    firmwareVersion: { id, name: days[0]?.name ?? '' },
    days: days.map(({ firmwareVersionId: _id, name: _name, ...day }) => day),
  }))
}
