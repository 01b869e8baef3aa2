import type { BlindSpotFilter, DeviceLogLine } from '@plimsoll/api-client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { DeviceFilter } from './device-filters.ts'

export type LogSeverity = DeviceLogLine['severity']

const PAGE = 100

export interface DeviceOrder {
  sortColumn: 'Id' | 'LastSeenAt' | 'UnknownSince' | 'OldestKeyAt'
  ascending: boolean
}

export const devicesQuery = (workspaceId: string, filter: DeviceFilter, order: DeviceOrder) =>
  infiniteQueryOptions({
    queryKey: ['devices', workspaceId, 'list', filter, order],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/devices/list', {
        params: { workspaceId },
        body: { filter, ...order, limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // Comparing all pages with each new one would hold up scrolling.
    structuralSharing: false,
  })

export const summaryQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'summary'],
    queryFn: () => api.get('/workspaces/{workspaceId}/device-summary', { params: { workspaceId } }),
  })

/** Lists blind spots, those on the most devices first. */
export const blindSpotsQuery = (workspaceId: string, filter: BlindSpotFilter) =>
  infiniteQueryOptions({
    queryKey: ['devices', workspaceId, 'blind-spots', filter],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/blind-spots/list', {
        params: { workspaceId },
        body: { filter, limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const deviceQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'one', deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}', {
        params: { workspaceId, deviceId },
      }),
  })

/** Without a version: of the update that it is offered now. */
export const artifactOfferQuery = (
  workspaceId: string,
  deviceId: string,
  firmwareVersionId: string | undefined,
) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'artifact-offer', deviceId, firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}/artifact-offer', {
        params: { workspaceId, deviceId },
        query: { ...(firmwareVersionId !== undefined && { firmwareVersionId }) },
      }),
    placeholderData: keepPreviousData,
  })

const WORST = 8

/** Lists the findings of these versions, in the order of risk. */
export const worstFindingsQuery = (workspaceId: string, firmwareVersionIds: readonly string[]) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'worst-of', firmwareVersionIds],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/list', {
        params: { workspaceId },
        body: {
          filter: { firmwareVersionIds: [...firmwareVersionIds], activeOnly: true },
          limit: WORST,
        },
      }),
  })

/** Newest first. */
export const updatesOfDeviceQuery = (workspaceId: string, deviceId: string) =>
  infiniteQueryOptions({
    queryKey: ['devices', workspaceId, 'updates', deviceId],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}/updates', {
        params: { workspaceId, deviceId },
        query: { limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const desiredQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'desired', deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}/configuration/desired', {
        params: { workspaceId, deviceId },
      }),
  })

/** Fails with 404 where the device never reported one. */
export const reportedQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, 'reported', deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}/configuration/reported', {
        params: { workspaceId, deviceId },
      }),
    retry: false,
  })

/** As many as a device may have. */
const MOST_SERIES = 1000

export const deviceSeriesQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['metrics', workspaceId, 'device', deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/metrics/series', {
        params: { workspaceId },
        query: { deviceId, limit: MOST_SERIES },
      }),
  })

export interface LogsAsked {
  deviceId: string
  severities: readonly LogSeverity[]
  text: string
}

/** Newest first. */
export const logsQuery = (workspaceId: string, { deviceId, severities, text }: LogsAsked) =>
  infiniteQueryOptions({
    queryKey: ['device-logs', workspaceId, deviceId, severities, text],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/device-logs/list', {
        params: { workspaceId },
        body: {
          limit: PAGE,
          filter: {
            deviceIds: [deviceId],
            ...(severities.length > 0 && { severities: [...severities] }),
            ...(text !== '' && { message: [{ contains: text }] }),
          },
          ...(cursor !== '' && { cursor }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })
