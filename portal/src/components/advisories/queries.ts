/** Advisories of the workspace, as several pages ask for them. They are told of as cases are, so their keys begin alike. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export interface AdvisoryFilter {
  caseId?: string
  vulnerabilityId?: string
}

/** A date may pass for which one waits: asked again each minute. */
const AGAIN_MS = 60_000
const WAITING_MS = 5_000

export const advisoriesQuery = (workspaceId: string, filter: AdvisoryFilter = {}) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'advisories', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/security-advisories', {
        params: { workspaceId },
        query: { ...filter },
      }),
    refetchInterval: AGAIN_MS,
  })

export const advisoryQuery = (workspaceId: string, advisoryId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'advisory', advisoryId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/security-advisories/{advisoryId}', {
        params: { workspaceId, advisoryId },
      }),
  })

/** `revision` 0: the draft as it would be published. */
export const documentQuery = (
  workspaceId: string,
  { advisoryId, revision, asOf }: { advisoryId: string; revision: number; asOf: string },
) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'advisory', advisoryId, 'document', revision, asOf],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/security-advisories/{advisoryId}/document', {
        params: { workspaceId, advisoryId },
        query: revision === 0 ? {} : { revision },
      }),
  })

/** Mails leave one after another: asked again while one waits. */
export const mailsQuery = (workspaceId: string, advisoryId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'advisory', advisoryId, 'mails'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/security-advisories/{advisoryId}/mails', {
        params: { workspaceId, advisoryId },
      }),
    refetchInterval: ({ state }) =>
      state.data?.mails.some((mail) => mail.state === 'Waiting') === true ? WAITING_MS : false,
  })

export const recipientsQuery = (workspaceId: string, advisoryId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'advisory', advisoryId, 'recipients'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/security-advisories/{advisoryId}/recipients', {
        params: { workspaceId, advisoryId },
      }),
    // Counted anew whenever somebody is about to publish.
    staleTime: 0,
  })

export const publisherQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'publisher'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/advisory-publisher', { params: { workspaceId } }),
  })
