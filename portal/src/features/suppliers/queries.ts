import type { SupplierFeed, WithEntityTag } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

const FEEDS = '/workspaces/{workspaceId}/supplier-feeds'
const FEED = `${FEEDS}/{supplierFeedId}` as const
const UNDER_WAY_MS = 3_000

const isUnderWay = ({ isBeingRead, nextReadAt }: SupplierFeed) =>
  isBeingRead || (nextReadAt !== null && Date.parse(nextReadAt) <= Date.now())

/** Asked again while one of them is read, or about to be. */
export const feedsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['supplier-feeds', workspaceId, 'list'],
    queryFn: () => api.get(FEEDS, { params: { workspaceId } }),
    refetchInterval: ({ state }) =>
      state.data?.supplierFeeds.some(isUnderWay) === true ? UNDER_WAY_MS : false,
  })

export const documentsQuery = (workspaceId: string, supplierFeedId: string) =>
  queryOptions({
    queryKey: ['supplier-feeds', workspaceId, supplierFeedId, 'documents'],
    queryFn: () => api.get(`${FEED}/documents`, { params: { workspaceId, supplierFeedId } }),
  })

/** What the supplier says is affected, and no source knows. */
export const affectedQuery = (workspaceId: string, supplierFeedId: string) =>
  queryOptions({
    queryKey: ['supplier-feeds', workspaceId, supplierFeedId, 'affected'],
    queryFn: () =>
      api.get(`${FEED}/affected-without-finding`, { params: { workspaceId, supplierFeedId } }),
  })

export const createFeed = (workspaceId: string, body: { name: string; url: string }) =>
  api.post(FEEDS, { params: { workspaceId }, body })

/** As it is now; what is sent is refused where somebody changed it since. */
export const readFeed = (workspaceId: string, { id: supplierFeedId }: Pick<SupplierFeed, 'id'>) =>
  api.get(FEED, { params: { workspaceId, supplierFeedId } })

export const updateFeed = (
  workspaceId: string,
  known: WithEntityTag<SupplierFeed>,
  { name, url }: Pick<SupplierFeed, 'name' | 'url'>,
) =>
  api.put(FEED, {
    params: { workspaceId, supplierFeedId: known.id },
    body: { name, url },
    ifStill: known,
  })

export const readFeedNow = (workspaceId: string, supplierFeedId: string) =>
  api.post(`${FEED}/read`, { params: { workspaceId, supplierFeedId } })

export const deleteFeed = (workspaceId: string, supplierFeedId: string) =>
  api.delete(FEED, { params: { workspaceId, supplierFeedId } })
