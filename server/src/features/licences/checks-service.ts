/** What `admin doctor` examines of licences: what is kept of what components state. */
import type { AppContext } from '../../platform/context.ts'
import {
  findDifferences,
  listDifferingKeys,
  readSnapshot,
  type WorkspaceCheck,
} from '../../platform/doctor/check.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { KEPT_LICENCES, keepLicencesOfVersion } from './kept-store.ts'

async function repairKept(ctx: AppContext, workspaceId: string): Promise<void> {
  const differing = await readSnapshot(ctx, (db) =>
    listDifferingKeys(db, KEPT_LICENCES, workspaceId, 'firmware_version_id'),
  )
  for (const firmwareVersionId of differing)
    await ctx.db.transaction().execute(async (tx) => {
      if (await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))
        await keepLicencesOfVersion(tx, { workspaceId, firmwareVersionId })
    })
}

export const licenceChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'licences',
    meaning: 'what is kept of the licences of versions is what their components state',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, (db) => findDifferences(db, KEPT_LICENCES, workspaceId)),
    repair: repairKept,
  },
]
