/** Crashes of devices. Their keys begin as those of devices: each report that arrives makes them stale. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

const PAGE = 100

interface CrashFilter {
  state?: 'Open' | 'Closed' | undefined
  firmwareId?: string | undefined
  firmwareVersionId?: string | undefined
  newSince?: string | undefined
  q?: string | undefined
}

interface CrashOrder {
  sort: 'lastSeenAt' | 'firstSeenAt' | 'crashCount' | 'deviceCount'
  order: 'asc' | 'desc'
}

export const crashGroupsQuery = (workspaceId: string, filter: CrashFilter, order: CrashOrder) =>
  infiniteQueryOptions({
    queryKey: ['devices', workspaceId, 'crashes', filter, order],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/crash-groups', {
        params: { workspaceId },
        query: {
          ...(filter.state && { state: filter.state }),
          ...(filter.firmwareId !== undefined && { firmwareId: filter.firmwareId }),
          ...(filter.firmwareVersionId !== undefined && {
            firmwareVersionId: filter.firmwareVersionId,
          }),
          ...(filter.newSince !== undefined && { newSince: filter.newSince }),
          ...(filter.q !== undefined && { q: filter.q }),
          ...order,
          limit: PAGE,
          ...(cursor !== '' && { cursor }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

export const crashGroupQuery = (workspaceId: string, crashGroupId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'crash', crashGroupId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/crash-groups/{crashGroupId}', {
        params: { workspaceId, crashGroupId },
      }),
  })

export const versionCrashesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'crashes-of-version', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/crashes', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export const deviceCrashesQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'crashes-of-device', deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}/crashes', {
        params: { workspaceId, deviceId },
      }),
  })
