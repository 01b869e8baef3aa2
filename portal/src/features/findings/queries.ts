import type {
  BodyOf,
  WorkspaceFindingFilter,
  WorkspaceVulnerabilityDetail,
} from '@plimsoll/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { CsvRequest } from '../../components/download-csv.ts'
import type { ListTotal } from '../../components/selection.ts'
import type { FindingsSearch, ProposalsSearch } from '../../searches.ts'
import { type Group, readGroup, type Sort, readSort } from './finding-filters.ts'
import { type ListedRow, readComponentRow, readFindingRow, readVulnerabilityRow } from './rows.ts'

export type FindingHere = WorkspaceVulnerabilityDetail['findings'][number]

const PAGE = 100
const ASCENDING = new Set<string>(['CveId', 'ComponentName', 'Name'])

interface ListQuery<G extends Group> {
  filter: WorkspaceFindingFilter
  sort: Sort<G>
}

/** A page of the list, whatever its rows stand for. */
export interface ListedPage extends ListTotal {
  rows: ListedRow[]
  nextCursor?: string
}

const bodyOfPage = <S extends string>(
  { filter, sort }: { filter: WorkspaceFindingFilter; sort: S },
  cursor: string,
) => ({
  filter,
  sortColumn: sort,
  ascending: ASCENDING.has(sort),
  limit: PAGE,
  ...(cursor !== '' && { cursor }),
})

async function listVulnerabilities(
  workspaceId: string,
  asked: ListQuery<'vulnerability'>,
  cursor: string,
): Promise<ListedPage> {
  const { vulnerabilities, ...page } = await api.post(
    '/workspaces/{workspaceId}/vulnerabilities/list',
    { params: { workspaceId }, body: bodyOfPage(asked, cursor) },
  )
  return { ...page, rows: vulnerabilities.map(readVulnerabilityRow) }
}

async function listComponents(
  workspaceId: string,
  asked: ListQuery<'component'>,
  cursor: string,
): Promise<ListedPage> {
  const { components, ...page } = await api.post(
    '/workspaces/{workspaceId}/vulnerable-components/list',
    { params: { workspaceId }, body: bodyOfPage(asked, cursor) },
  )
  return { ...page, rows: components.map(readComponentRow) }
}

async function listSingle(
  workspaceId: string,
  asked: ListQuery<'single'>,
  cursor: string,
): Promise<ListedPage> {
  const { findings, ...page } = await api.post(
    '/workspaces/{workspaceId}/vulnerability-findings/list',
    { params: { workspaceId }, body: bodyOfPage(asked, cursor) },
  )
  return { ...page, rows: findings.map(readFindingRow) }
}

/** The list that the address asks for. */
export function listQuery(
  workspaceId: string,
  filter: WorkspaceFindingFilter,
  search: FindingsSearch,
) {
  const group = readGroup(search)
  const lists: Record<Group, (cursor: string) => Promise<ListedPage>> = {
    vulnerability: (cursor) =>
      listVulnerabilities(workspaceId, { filter, sort: readSort(search, 'vulnerability') }, cursor),
    component: (cursor) =>
      listComponents(workspaceId, { filter, sort: readSort(search, 'component') }, cursor),
    single: (cursor) =>
      listSingle(workspaceId, { filter, sort: readSort(search, 'single') }, cursor),
  }
  return infiniteQueryOptions({
    queryKey: ['findings', workspaceId, 'list', group, filter, readSort(search, group)],
    queryFn: ({ pageParam }) => lists[group](pageParam),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

const EXPORTS: Record<Group, string> = {
  vulnerability: 'vulnerabilities',
  component: 'vulnerable-components',
  single: 'vulnerability-findings',
}

/** The request for the same list as CSV. */
export function createCsvRequest(
  workspaceId: string,
  filter: WorkspaceFindingFilter,
  search: FindingsSearch,
): CsvRequest {
  const group = readGroup(search)
  const sortColumn = readSort(search, group)
  return {
    path: `/workspaces/${workspaceId}/${EXPORTS[group]}/export`,
    body: { filter, sortColumn, ascending: ASCENDING.has(sortColumn) },
  }
}

/** The vulnerabilities of one component, in the order of risk. */
export const componentFindingsQuery = (workspaceId: string, filter: WorkspaceFindingFilter) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'of-component', filter],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/list', {
        params: { workspaceId },
        body: { filter, limit: PAGE },
      }),
  })

/** One vulnerability over the workspace: its findings, and the versions that no longer have it. */
export const vulnerabilityQuery = (workspaceId: string, cveId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'vulnerability', cveId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}', {
        params: { workspaceId, cveId },
      }),
  })

/** What was known and decided of it at a past instant. */
export const pastVulnerabilityQuery = (workspaceId: string, cveId: string, asOf: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'vulnerability', cveId, asOf],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}/past', {
        params: { workspaceId, cveId },
        query: { asOf },
      }),
  })

/** The length of the curve of one vulnerability. */
export const EXPOSURE_DAYS = 90

export const findingQuery = (workspaceId: string, findingId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'finding', findingId, asOf],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerability-findings/{findingId}', {
        params: { workspaceId, findingId },
        query: { ...(asOf !== undefined && { asOf }) },
      }),
  })

interface CountsAsked {
  filter: WorkspaceFindingFilter
  group: Group
  newSince?: string
  chips: readonly NonNullable<BodyOf<'countWorkspaceVulnerabilityFindings'>['chips']>[number][]
}

/** How many rows the list has with each chip. */
export const countsQuery = (workspaceId: string, asked: CountsAsked) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'counts', asked],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/counts', {
        params: { workspaceId },
        body: {
          filter: asked.filter,
          groupBy: COUNTED[asked.group],
          ...(asked.newSince !== undefined && { newSince: asked.newSince }),
          chips: [...asked.chips],
        },
      }),
  })

const COUNTED = {
  vulnerability: 'Vulnerability',
  component: 'Component',
  single: 'Finding',
} as const

/** What is proposed to decide about a finding, and nobody decided yet. */
export const proposalsQuery = (workspaceId: string, findingId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'proposals', findingId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/decision-proposals', {
        params: { workspaceId },
        query: { findingId },
      }),
  })

/** What is proposed over the whole workspace. */
export const allProposalsQuery = (
  workspaceId: string,
  { state, firmware, by, assessment }: ProposalsSearch,
) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'proposals', { state, firmware, by, assessment }],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/decision-proposals', {
        params: { workspaceId },
        query: {
          ...(state && { state }),
          ...(firmware !== undefined && { firmwareId: firmware }),
          ...(by !== undefined && { proposedById: by }),
          ...(assessment && { assessment }),
        },
      }),
  })
