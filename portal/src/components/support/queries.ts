import type {
  Firmware,
  SupportStatement,
  SupportStatementCommand,
  WithEntityTag,
} from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const supportQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'support', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/support', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

const STATEMENTS = '/workspaces/{workspaceId}/support-statements'
const STATEMENT = '/workspaces/{workspaceId}/support-statements/{statementId}'
const FIRMWARE = '/workspaces/{workspaceId}/firmwares/{firmwareId}'

/** Begins like what acts about own dates change. */
export const ownDatesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'support-statements'],
    queryFn: () => api.get(STATEMENTS, { params: { workspaceId } }),
    refetchOnMount: 'always',
  })

/** One by itself, as a form begins with it: its undo puts that back. */
export const ownDateQuery = (workspaceId: string, statementId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'support-statements', statementId],
    queryFn: () => api.get(STATEMENT, { params: { workspaceId, statementId } }),
    refetchOnMount: 'always',
    gcTime: 0,
  })

export const createOwnDate = (workspaceId: string, body: SupportStatementCommand) =>
  api.post(STATEMENTS, { params: { workspaceId }, body })

export const replaceOwnDate = (
  workspaceId: string,
  still: WithEntityTag<SupportStatement>,
  body: SupportStatementCommand,
) => api.put(STATEMENT, { params: { workspaceId, statementId: still.id }, body, ifStill: still })

export const deleteOwnDate = (workspaceId: string, { id: statementId }: SupportStatement) =>
  api.delete(STATEMENT, { params: { workspaceId, statementId } })

/** Deletes what was just created, unless somebody has changed it since. Answers whether it stayed. */
export async function takeBackOwnDate(
  workspaceId: string,
  created: SupportStatement,
): Promise<boolean> {
  const params = { workspaceId, statementId: created.id }
  const now = await api.get(STATEMENT, { params })
  if (now.updatedAt !== created.updatedAt) return true
  await deleteOwnDate(workspaceId, created)
  return false
}

export const updatePromise = (
  workspaceId: string,
  still: WithEntityTag<Firmware>,
  supportEndsOn: string | null,
) =>
  api.patch(FIRMWARE, {
    params: { workspaceId, firmwareId: still.id },
    body: { supportEndsOn },
    ifStill: still,
  })
