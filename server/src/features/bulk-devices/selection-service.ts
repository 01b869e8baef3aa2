/** Devices that are named one by one, or by a filter. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid, refuseFaults } from '../../platform/errors.ts'
import { listMembership } from '../cohorts/index.ts'
import { type AskedFilter, listFilteredIds } from '../devices/index.ts'

export interface DeviceSelection {
  workspaceId: string
  deviceIds?: readonly string[]
  filter?: AskedFilter
}

/**
 * The ids of the selected devices, in order. Throws where one does not exist, where there are more than `most`, and at a filter
 * without a condition.
 */
export async function selectDevices(
  ctx: AppContext,
  tx: Tx,
  selected: DeviceSelection & { most: number },
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
  const ids = await listFilteredIds(ctx, tx, { workspaceId, filter: filter ?? {}, limit: most + 1 })
  if (ids.length > most)
    throw invalid(
      `The filter selects more than ${most} devices. Narrow it, by cohort or tag for example.`,
      '/filter',
    )
  return ids
}

async function existing(
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<string[]> {
  const members = await listMembership(tx, workspaceId, deviceIds)
  const known = new Set(members.map(({ id }) => id))
  const faults = deviceIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : { pointer: `/deviceIds/${index}`, detail: `No device has the id ${JSON.stringify(id)}.` },
  )
  refuseFaults(faults, 'devices do not exist, perhaps as they were deleted meanwhile')
  return [...new Set(deviceIds)].toSorted()
}
