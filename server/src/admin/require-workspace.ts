import { getSettings, listWorkspacesNamed } from '../features/workspaces/index.ts'
import type { AppContext } from '../platform/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isUuid } from '../platform/ids.ts'

/** The id of an existing workspace in its canonical spelling. */
export async function requireWorkspace(ctx: AppContext, workspaceId: string): Promise<string> {
  if (!isUuid(workspaceId)) throw notFound('workspace', workspaceId)
  await getSettings(ctx, workspaceId)
  return workspaceId.toLowerCase()
}

/** Finds the workspace by its name or id. */
export async function findWorkspace(ctx: AppContext, named: string): Promise<string> {
  if (isUuid(named)) return requireWorkspace(ctx, named)
  const [id, ...others] = await listWorkspacesNamed(ctx.db, named)
  if (id === undefined) throw notFound('workspace', named)
  if (others.length > 0)
    throw invalid(`Several workspaces are called ${named}: give the id, such as ${id}.`)
  return id
}
