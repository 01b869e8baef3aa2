import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import * as members from './cohort-members-store.ts'

interface MemberChange<Result> {
  workspaceId: string
  /** The devices the change is about, as things stand. */
  concerned: (tx: Tx) => Promise<string[]>
  change: (tx: Tx, deviceIds: readonly string[]) => Promise<Result>
}

class Overtaken extends Error {}
const MOST_TRIES = 5

/**
 * Devices are locked before the rules that say where they belong, as others hold a device when they ask for the rules.
 * Whoever became concerned in between is found by asking again, and then all begins anew.
 */
export async function withDevicesLocked<Result>(
  ctx: Pick<AppContext, 'db'>,
  input: MemberChange<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(ctx, input)
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
      if (tries === MOST_TRIES)
        throw new AppError(
          'unavailable',
          'overtaken',
          'The devices this concerns kept changing, so that nothing was written. Try again.',
        )
    }
  }
}

async function attempt<Result>(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, concerned, change }: MemberChange<Result>,
): Promise<Result> {
  return ctx.db.transaction().execute(async (tx) => {
    const locked = new Set(await concerned(tx))
    await members.lockDevices(tx, workspaceId, [...locked].toSorted())
    await members.lockRules(tx, workspaceId)
    const deviceIds = await concerned(tx)
    if (deviceIds.some((id) => !locked.has(id))) throw new Overtaken()
    return change(tx, deviceIds)
  })
}
