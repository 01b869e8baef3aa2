/** Devices that are named one by one, or by a filter. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { filterForStore, type AskedFilter } from '../list/service.ts'
import { listDeviceIds } from '../list/store.ts'
import { readCohorts, readCohortNames } from './store.ts'

export interface Selected {
  workspaceId: string
  deviceIds?: readonly string[]
  filter?: AskedFilter
}

const MOST_FAULTS = 20

/**
 * The ids of the selected devices, in order. Throws where one does not exist, where there are more than `most`, and at a filter
 * without a condition.
 */
export async function selectDevices(
  ctx: AppContext,
  tx: Tx,
  selected: Selected & { most: number },
): Promise<string[]> {
  const { workspaceId, deviceIds, filter, most } = selected
  if ((deviceIds === undefined) === (filter === undefined))
    throw invalid('State either deviceIds or a filter.', deviceIds ? '/filter' : '/deviceIds')
  if (deviceIds) return existing(tx, { workspaceId, deviceIds })
  // An empty filter is probably a mistake.
  if (Object.keys(filter ?? {}).length === 0)
    throw invalid(
      'An empty filter selects every device of the workspace. State a condition.',
      '/filter',
    )
  const rows = await listDeviceIds(tx, {
    workspaceId,
    filter: await filterForStore(ctx, workspaceId, filter ?? {}),
    sortColumn: 'Id',
    ascending: true,
    limit: most + 1,
    after: undefined,
  })
  if (rows.length > most)
    throw invalid(
      `The filter selects more than ${most} devices. Narrow it, by cohort or tag for example.`,
      '/filter',
    )
  return rows.map(({ id }) => id)
}

async function existing(
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<string[]> {
  const known = await readCohorts(tx, { workspaceId, deviceIds })
  const faults = deviceIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : { pointer: `/deviceIds/${index}`, detail: `No device has the id ${JSON.stringify(id)}.` },
  )
  if (faults.length === 0) return [...new Set(deviceIds)].toSorted()
  const detail = `${faults.length} of the devices do not exist, perhaps as they were deleted meanwhile; nothing was changed.`
  throw new AppError('invalid', 'invalid-request', detail, faults.slice(0, MOST_FAULTS))
}

interface Named {
  id: string
  name: string
}

/** How many devices went from a cohort to another; null: none. */
export interface CohortMoves {
  from: Named | null
  to: Named | null
  devices: number
}

/** What `change` does to the cohorts of the devices. */
export async function movesBy(
  tx: Tx,
  of: { workspaceId: string; deviceIds: readonly string[] },
  change: () => Promise<void>,
): Promise<CohortMoves[]> {
  const before = await readCohorts(tx, of)
  await change()
  const after = await readCohorts(tx, of)
  const counts = new Map<string, number>()
  for (const [id, from] of before) {
    const to = after.get(id) ?? null
    const key = `${from ?? ''} ${to ?? ''}`
    if (from !== to) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const pairs = [...counts].map(([key, devices]) => ({ ids: key.split(' '), devices }))
  const ids = [...new Set(pairs.flatMap((pair) => pair.ids))].filter((id) => id !== '')
  const names = await readCohortNames(tx, of.workspaceId, ids)
  const named = (id = '') => (id === '' ? null : { id, name: names.get(id) ?? id })
  return pairs
    .map(({ ids: [from, to], devices }) => ({ from: named(from), to: named(to), devices }))
    .toSorted((a, b) => b.devices - a.devices)
}

/** Undone at the end, so that a preview says what would really happen. */
export async function previewing<Answer>(
  ctx: Pick<AppContext, 'db'>,
  isPreview: boolean,
  act: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      const answer = await act(tx)
      if (isPreview) throw new Preview(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Preview) return error.answer as Answer
    throw error
  }
}

class Preview extends Error {
  readonly answer: unknown

  constructor(answer: unknown) {
    super('a preview is undone')
    this.answer = answer
  }
}
