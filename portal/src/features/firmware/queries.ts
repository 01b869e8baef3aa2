import type { LicenceOutcome, SupportState } from '@plimsoll/api-client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { FirmwaresSearch, VersionSearch } from '../../searches.ts'

const PAGE = 100

type FirmwareShow = NonNullable<FirmwaresSearch['show']>

/** What devices run; it is stale when the overview is. */
export const firmwareOverviewQuery = (
  workspaceId: string,
  { show = 'All', limit }: { show?: FirmwareShow | 'All'; limit?: number },
) =>
  queryOptions({
    queryKey: ['overview', workspaceId, 'firmware', show, limit],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-overview', {
        params: { workspaceId },
        query: { group: show, ...(limit !== undefined && { limit }) },
      }),
    placeholderData: keepPreviousData,
  })

/** The distinct active findings of what devices run of a firmware, by severity. */
export const runningFindingsQuery = (workspaceId: string, firmwareId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'running', firmwareId],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/counts', {
        params: { workspaceId },
        body: {
          filter: { activeOnly: true, affectedDevicesOnly: true, firmwareIds: [firmwareId] },
          chips: ['bySeverity'],
        },
      }),
  })

/** The counts of all versions of a firmware that have active findings. */
export const vulnerableQuery = (workspaceId: string, firmwareId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'vulnerable-versions', firmwareId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerable-firmware-versions', {
        params: { workspaceId },
        query: { firmwareId },
      }),
  })

export const summaryQuery = (workspaceId: string, firmwareVersionId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'summary', firmwareVersionId, asOf],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/summary',
        {
          params: { workspaceId, firmwareVersionId },
          query: { ...(asOf !== undefined && { asOf }) },
        },
      ),
  })

type FindingsBody = NonNullable<Parameters<typeof listFindings>[2]>

function listFindings(
  workspaceId: string,
  firmwareVersionId: string,
  body: {
    filter: VersionFilter
    sortColumn: NonNullable<VersionSearch['sort']>
    ascending: boolean
    asOf?: string
    cursor: string
  },
) {
  const { cursor, ...rest } = body
  return api.post(
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/list',
    {
      params: { workspaceId, firmwareVersionId },
      body: { ...rest, limit: PAGE, ...(cursor !== '' && { cursor }) },
    },
  )
}

export interface VersionFilter {
  activeOnly?: boolean
  components?: { packageName: string }[]
  severities?: ('Critical' | 'High' | 'Medium' | 'Low' | 'None' | 'Unknown')[]
  exploited?: boolean
  ignored?: boolean
  assessments?: ('NotAssessed' | 'InTriage')[]
  disputed?: boolean
  cveIds?: string[]
  name?: { contains: string }[]
}

export const versionFindingsQuery = (
  workspaceId: string,
  firmwareVersionId: string,
  asked: Omit<FindingsBody, 'cursor'>,
) =>
  infiniteQueryOptions({
    queryKey: ['findings', workspaceId, 'version', firmwareVersionId, asked],
    queryFn: ({ pageParam }) =>
      listFindings(workspaceId, firmwareVersionId, { ...asked, cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** In which versions these findings are fixed. */
export const findingFixesQuery = (
  workspaceId: string,
  firmwareVersionId: string,
  findingIds: readonly string[],
) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'fixes', firmwareVersionId, findingIds],
    queryFn: () =>
      api.post(
        '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/fixes',
        {
          params: { workspaceId, firmwareVersionId },
          body: { findingIds: [...findingIds] },
        },
      ),
  })

export const badgeQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'badge', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/badge', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export interface ComponentFilter {
  firmwareVersionIds: string[]
  name?: { contains: string }[]
  licenses?: { contains: string }[]
  supportStates?: SupportState[]
  supportEndsBefore?: string
  licenceOutcomes?: LicenceOutcome[]
}

/** How many components the list has with each filter by support and licence. */
export const componentCountsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, 'component-counts', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/component-counts', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export const componentsQuery = (workspaceId: string, filter: ComponentFilter) =>
  infiniteQueryOptions({
    queryKey: ['sboms', workspaceId, 'components', filter],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/components/list', {
        params: { workspaceId },
        body: {
          filter,
          limit: PAGE,
          ...(cursor !== '' && { cursor }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** How a component is identified; with a CVE id also what each record says of it. */
export const judgementsQuery = (
  workspaceId: string,
  component: { firmwareVersionId: string; componentId: string },
  cveId: string,
) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'judgements', component, cveId],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/components/{componentId}/judgements',
        {
          params: { workspaceId, ...component },
          query: { ...(cveId !== '' && { cveId }) },
        },
      ),
  })

export const coverageQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'coverage', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/coverage', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export const diffQuery = (workspaceId: string, firmwareVersionId: string, base: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'diff', firmwareVersionId, base],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/diff', {
        params: { workspaceId, firmwareVersionId },
        query: { base },
      }),
  })

export const diffCountsQuery = (workspaceId: string, firmwareVersionId: string, base: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'diff-counts', firmwareVersionId, base],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/diff-counts', {
        params: { workspaceId, firmwareVersionId },
        query: { base },
      }),
  })

export const vexDocumentsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['vex', workspaceId, firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vex-documents', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export type Replacement = 'serial' | 'file' | 'all'

/** What an upload would replace, by each way to replace. */
export const replacementQuery = (
  workspaceId: string,
  firmwareVersionId: string,
  files: { fileNames: string[]; documents: string[] },
) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, 'replacement', firmwareVersionId, files],
    queryFn: async () => {
      const preview = (replace: Replacement) =>
        api.post(
          '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sboms/replacement-preview',
          { params: { workspaceId, firmwareVersionId }, body: { replace, ...files } },
        )
      const [serial, file, all] = await Promise.all([
        preview('serial'),
        preview('file'),
        preview('all'),
      ])
      return { serial, file, all }
    },
  })

/** SBOMs that count no more and are still kept; the last replaced first. */
export const sbomGradesQuery = (workspaceId: string, sbomId: string) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, 'grades', sbomId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/sboms/{sbomId}/grades', {
        params: { workspaceId, sbomId },
      }),
  })

export const sbomSignaturesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, 'signatures', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sbom-signatures', {
        params: { workspaceId, firmwareVersionId },
      }),
    refetchInterval: ({ state: { data } }) =>
      data?.verifications.some(({ state }) => state === 'Checking') === true ? 2_000 : false,
  })

/** Until when the law keeps the version, where it does. */
export const versionRetentionQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'retention', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/retention', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export const replacedSbomsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, 'replaced', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/replaced-sboms', {
        params: { workspaceId, firmwareVersionId },
      }),
  })
