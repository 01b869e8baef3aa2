import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { runPreview } from '../../../platform/db/preview.ts'
import * as members from './store.ts'

interface MembershipChange<Result> {
  workspaceId: string
  /** The devices that the change concerns at the moment. */
  affectedDevices: (tx: Tx) => Promise<string[]>
  change: (tx: Tx, deviceIds: readonly string[]) => Promise<Result>
  /** Undo the change at the end. */
  isPreview?: boolean
}

class MembersChanged extends Error {}
const MAX_ATTEMPTS = 5

/**
 * Locks the devices, then the tag rules, because others lock the rules while they hold a device. Reads the affected
 * devices again under the locks, and starts over if another device became affected meanwhile.
 */
export async function withDevicesLocked<Result>(
  ctx: Pick<AppContext, 'db'>,
  input: MembershipChange<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(ctx, input)
    } catch (error) {
      if (!(error instanceof MembersChanged)) throw error
      if (tries === MAX_ATTEMPTS)
        throw new AppError(
          'unavailable',
          'overtaken',
          'The affected devices kept changing, so nothing was written. Try again.',
        )
    }
  }
}

async function attempt<Result>(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, affectedDevices, change, isPreview = false }: MembershipChange<Result>,
): Promise<Result> {
  return runPreview(ctx, isPreview, async (tx) => {
    const locked = new Set(await affectedDevices(tx))
    await members.lockDevices(tx, workspaceId, [...locked].toSorted())
    await members.lockRules(tx, workspaceId)
    const deviceIds = await affectedDevices(tx)
    if (deviceIds.some((id) => !locked.has(id))) throw new MembersChanged()
    return change(tx, deviceIds)
  })
}
