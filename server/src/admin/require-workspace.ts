import { getSettings } from '../features/workspaces/index.ts'
import type { AppContext } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isUuid } from '../platform/ids.ts'

/** The id of an existing workspace in its canonical spelling. */
export async function requireWorkspace(ctx: AppContext, workspaceId: string): Promise<string> {
  if (!isUuid(workspaceId)) throw notFound('workspace', workspaceId)
  await getSettings(ctx, workspaceId)
  return workspaceId.toLowerCase()
}
