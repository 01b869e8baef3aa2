/** Names of the versions that an advisory speaks of: as it knows them, or as they are called now. */
import type { AdvisoryProduct } from '@plimsoll/api-client'
import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, versionsQuery } from '../../workspace-queries.ts'

export type VersionNames = ReadonlyMap<string, string>

/** A version that was just added is in the lists that it was chosen from. */
export function useVersionNames(products: readonly AdvisoryProduct[]): VersionNames {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const firmwares = queryClient.getQueryData(firmwaresQuery(workspaceId).queryKey)?.firmwares ?? []
  const listed = firmwares.flatMap(({ id, name }) =>
    (queryClient.getQueryData(versionsQuery(workspaceId, id).queryKey)?.firmwareVersions ?? []).map(
      (version) => [version.id, `${name} ${version.name}`] as const,
    ),
  )
  return new Map([
    ...listed,
    ...products.map(
      ({ firmwareVersionId, firmware, version }) =>
        [firmwareVersionId, `${firmware} ${version}`] as const,
    ),
  ])
}

export const nameVersion = (names: VersionNames, id: string) => names.get(id) ?? id
