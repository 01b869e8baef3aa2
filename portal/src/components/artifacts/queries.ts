import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}' as const
export const ADDRESSES = `${VERSION}/artifact-addresses` as const
export const SIGNATURES = `${VERSION}/artifact/signatures` as const
export const STATEMENTS = `${VERSION}/provenance-statements` as const

export const versionArtifactsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['artifacts', workspaceId, firmwareVersionId],
    queryFn: () => api.get(`${VERSION}/artifacts`, { params: { workspaceId, firmwareVersionId } }),
  })

/** How many devices are offered each file. */
export const artifactOffersQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['artifacts', workspaceId, firmwareVersionId, 'offers'],
    queryFn: () =>
      api.get(`${VERSION}/artifact-offers`, { params: { workspaceId, firmwareVersionId } }),
  })

export const addressesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['artifacts', workspaceId, firmwareVersionId, 'addresses'],
    queryFn: () => api.get(ADDRESSES, { params: { workspaceId, firmwareVersionId } }),
  })

export const signaturesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['artifacts', workspaceId, firmwareVersionId, 'signatures'],
    queryFn: () => api.get(SIGNATURES, { params: { workspaceId, firmwareVersionId } }),
  })

export const statementsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['artifacts', workspaceId, firmwareVersionId, 'statements'],
    queryFn: () => api.get(STATEMENTS, { params: { workspaceId, firmwareVersionId } }),
  })

/** Asked again while something cannot be told yet. */
export const chainQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'chain', firmwareVersionId],
    queryFn: () =>
      api.get(`${VERSION}/chain`, {
        params: { workspaceId, firmwareVersionId },
      }),
    refetchInterval: ({ state: { data } }) =>
      data?.links.some(({ state }) => state === 'Unknown') === true ? 2_000 : false,
  })

/** Asked again while a file is being checked. */
export const imagesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'images', firmwareVersionId],
    queryFn: () =>
      api.get(`${VERSION}/image-verifications`, { params: { workspaceId, firmwareVersionId } }),
    refetchInterval: ({ state: { data } }) =>
      data?.verifications.some(({ state }) => state === 'Checking') === true ? 2_000 : false,
  })

/** After something beside the files of a version was added or taken away: what these show, the chain, and who did what. */
export function useReadArtifactsAgain(versionId: string): () => Promise<void> {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [
      ['artifacts', workspaceId, versionId],
      ['firmware', workspaceId, 'chain', versionId],
      ['firmware', workspaceId, 'images', versionId],
      ['sboms', workspaceId],
    ]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
