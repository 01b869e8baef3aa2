import type { AcceptanceFilter } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { CsvRequest } from '../../components/download-csv.ts'
import type { AcceptancesSearch } from '../../searches.ts'

const MOST_ACCEPTANCES = 1_000
const DAY_MS = 86_400_000

export const acceptancesQuery = (workspaceId: string, search: AcceptancesSearch) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'acceptances', search],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/acceptances/list', {
        params: { workspaceId },
        body: { limit: MOST_ACCEPTANCES, filter: readFilter(search) },
      }),
  })

/** All that the filter finds, not only what the page shows. */
export const createCsvRequest = (workspaceId: string, search: AcceptancesSearch): CsvRequest => ({
  path: `/workspaces/${workspaceId}/acceptances/export`,
  body: { filter: readFilter(search) },
})

export function readFilter({
  state,
  owner,
  within,
  cause,
  q,
}: AcceptancesSearch): AcceptanceFilter {
  return {
    ...(state && { states: [state] }),
    ...(owner === 'nobody' && { withoutOwner: true }),
    ...(owner !== undefined && owner !== 'nobody' && { ownerIds: [owner] }),
    ...(within && { endsBefore: new Date(Date.now() + Number(within) * DAY_MS).toISOString() }),
    ...(cause && { causes: [cause] }),
    ...(q !== undefined && { contains: q }),
  }
}
