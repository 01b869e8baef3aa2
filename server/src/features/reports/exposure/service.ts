import { countDays, startOfDay } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { getFirmware } from '../../firmware/index.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { sumExposure } from './worst.ts'
import * as store from './store.ts'

/** Stores what devices run today. It may run any number of times, on several nodes. */
export async function maintainDailyDevices({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(db))
    await store.writeDailyDevices(db, { workspaceId, at: now() })
}

const DEFAULT_DAYS = 90

export interface ReadExposure {
  workspaceId: string
  days?: number
  firmwareId?: string
  cveId?: string
}

export async function readExposure(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  input: ReadExposure,
) {
  const { workspaceId, days: asked = DEFAULT_DAYS, cveId } = input
  const at = now()
  const since = startOfDay(countDays(at) - asked + 1)
  const firmwareId =
    input.firmwareId === undefined
      ? undefined
      : (await getFirmware(db, workspaceId, input.firmwareId)).id
  const query = { workspaceId, since, at, firmwareId }
  const risks = await store.listDailyRisks(db, query)
  const found = cveId === undefined ? [] : await store.listAffectedDays(db, query, cveId)
  const affected = new Map(found.map((each) => [each.day, each.affected]))
  const today = at.toISOString().slice(0, 10)
  const byDay = Map.groupBy(risks, ({ day }) => day)
  // It is counted as it is asked for: also where nothing runs any more.
  if (byDay.size > 0 && !byDay.has(today)) byDay.set(today, [])
  const days = [...byDay].map(([day, rows]) => ({
    day,
    ...sumExposure(rows),
    affected: cveId === undefined ? null : (affected.get(day) ?? 0),
  }))
  return {
    since: (await store.findFirstDay(db, workspaceId)) ?? today,
    days,
    releases: await store.listReleases(db, query),
    rollouts: await store.listRollouts(db, query),
  }
}
