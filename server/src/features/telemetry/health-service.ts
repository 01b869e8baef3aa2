import type { AppContext } from '../../platform/context.ts'
import { dayOf } from './days.ts'
import { countRest, findRolledUntil } from './health-store.ts'
import { listPartitionDays, PARTITIONED } from './partitions-store.ts'

type HealthContext = Pick<AppContext, 'db' | 'now'>

/** Counting more would take longer, and is as bad. */
const REST_COUNTED = 10_000

/** Of each table: how many days have a partition, how many after today without a gap, and what lies outside of all. */
export async function getPartitionHealth({ db, now }: HealthContext) {
  const today = dayOf(now())
  return Promise.all(
    PARTITIONED.map(async (table) => {
      const days = new Set(await listPartitionDays(db, table))
      let daysAhead = 0
      while (days.has(today + daysAhead + 1)) daysAhead += 1
      const restRows = await countRest(db, table, REST_COUNTED)
      return { table, partitions: days.size, daysAhead, restRows }
    }),
  )
}

/** Since the last hour that is rolled up in all workspaces. */
export async function getRollupAge({ db, now }: HealthContext): Promise<number | undefined> {
  const until = await findRolledUntil(db)
  return until && Math.max(0, (now().getTime() - until.getTime()) / 1_000)
}
