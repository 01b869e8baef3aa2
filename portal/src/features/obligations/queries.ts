import type { ObligationNote, WithEntityTag } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const obligationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'obligations'],
    queryFn: () => api.get('/workspaces/{workspaceId}/obligations', { params: { workspaceId } }),
  })

const NOTE = '/workspaces/{workspaceId}/obligations/{obligationId}/note'

export const noteQuery = (workspaceId: string, obligationId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'obligations', obligationId],
    queryFn: () => api.get(NOTE, { params: { workspaceId, obligationId } }),
    refetchOnMount: 'always',
    gcTime: 0,
  })

export type WrittenNote = Pick<ObligationNote, 'responsible' | 'dueOn' | 'text' | 'link'>

/** Refused if the note is no longer what `ifStill` says. */
export const writeNote = (
  workspaceId: string,
  body: WrittenNote,
  ifStill: WithEntityTag<ObligationNote>,
) =>
  api.put(NOTE, {
    params: { workspaceId, obligationId: ifStill.id },
    body,
    ifStill,
  })
