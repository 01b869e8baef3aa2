import type { ObligationNote } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const obligationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'obligations'],
    queryFn: () => api.get('/workspaces/{workspaceId}/obligations', { params: { workspaceId } }),
  })

export type WrittenNote = Pick<ObligationNote, 'responsible' | 'dueOn' | 'text' | 'link'>

/** Refused if the note is no longer what `ifStill` says. */
export const writeNote = (workspaceId: string, body: WrittenNote, ifStill: ObligationNote) =>
  api.put('/workspaces/{workspaceId}/obligations/{obligationId}/note', {
    params: { workspaceId, obligationId: ifStill.id },
    body,
    ifStill,
  })
