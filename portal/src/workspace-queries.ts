/** What pages of several families ask of a workspace, under the same keys. */
import { formatCountOf } from './format/counts.ts'
import type { AlertRule, Sbom, VulnerabilitySources } from '@plimsoll/api-client'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'
import { findStartOfDay } from './format/dates.ts'

const UNDER_WAY_MS = 1000
const PARSING_MS = 1500

export const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['overview', workspaceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/overview', {
        params: { workspaceId },
        // As the list of what is new since yesterday counts.
        query: { newSince: findStartOfDay(new Date(), 1) },
      }),
  })

/** Answers that sum up those of all topics. */
const SUMMARIES = ['overview', 'exposure']

export function markSummariesStale(queryClient: QueryClient, workspaceId: string): void {
  for (const summary of SUMMARIES)
    void queryClient.invalidateQueries({ queryKey: [summary, workspaceId] })
}

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/members', { params: { workspaceId } }),
  })

/** Asked often while one is being read. */
export const sourcesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['sources', workspaceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerability-sources', { params: { workspaceId } }),
    refetchInterval: ({ state }) => (state.data && isReading(state.data) ? UNDER_WAY_MS : false),
  })

/** A source is being read or asked for, or a file is being imported. */
function isReading({ sources, imports }: VulnerabilitySources): boolean {
  return (
    sources.some(({ phase, requestedAt }) => phase !== 'Idle' || requestedAt !== null) ||
    imports.some(({ state }) => state === 'Waiting' || state === 'Importing')
  )
}

export const versionQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'version', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

/** Asked again while one is being parsed. */
export const sbomsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['sboms', workspaceId, firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sboms', {
        params: { workspaceId, firmwareVersionId },
      }),
    refetchInterval: ({ state }) =>
      state.data?.sboms.some(isUnderWay) === true ? PARSING_MS : false,
  })

/** Why it takes so long to read or match an SBOM. */
export function describeFailure({ parsingState, failure }: Sbom): string | undefined {
  if (!failure) return undefined
  const act = parsingState === 'InProgress' ? 'Reading' : 'Looking for vulnerabilities'
  const next = failure.isGivenUp ? 'It is tried again every hour' : 'It is tried again'
  return `${act} failed ${formatCountOf(failure.attempts, 'time')}: ${failure.reason}. ${next}; your operator's log has the cause.`
}

/** Parsing, or matching for the first time. */
export function isUnderWay({ parsingState, vulnerabilitiesParsedAt }: Sbom): boolean {
  return (
    parsingState === 'InProgress' ||
    (parsingState === 'Succeeded' && vulnerabilitiesParsedAt === null)
  )
}

export const firmwaresQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'list'],
    queryFn: () => api.get('/workspaces/{workspaceId}/firmwares', { params: { workspaceId } }),
  })

export const firmwareQuery = (workspaceId: string, firmwareId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, firmwareId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmwares/{firmwareId}', {
        params: { workspaceId, firmwareId },
      }),
  })

export const linesQuery = (workspaceId: string, firmwareId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, firmwareId, 'lines'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmwares/{firmwareId}/lines', {
        params: { workspaceId, firmwareId },
      }),
  })

export const versionsQuery = (workspaceId: string, firmwareId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, firmwareId, 'versions'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmwares/{firmwareId}/versions', {
        params: { workspaceId, firmwareId },
      }),
    enabled: firmwareId !== '',
  })

/** What was deployed of the version. */
export const versionDeploymentsQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'of-version', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/deployments', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

export const settingsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['settings', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/settings', { params: { workspaceId } }),
  })

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'webhooks'],
    queryFn: () => api.get('/workspaces/{workspaceId}/webhooks', { params: { workspaceId } }),
  })

export const cohortsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'cohorts'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/deployment-cohorts', { params: { workspaceId } }),
  })

/** Devices that run another version of the firmware, by cohort. */
export const takersQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'takers', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/takers', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

/** The names that devices report. */
export const metricsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['metrics', workspaceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/metrics', {
        params: { workspaceId },
        query: { limit: 500 },
      }),
  })

/** Reads the rules with the latest ten evaluations of each. */
export const rulesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'rules'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId }, query: {} }),
  })

export type Aggregation = Extract<AlertRule['condition'], { metric: string }>['aggregation']

export interface MetricAsked {
  metric: string
  labels: Readonly<Record<string, string>>
  aggregation: Aggregation
  /** None: of all devices. */
  deviceIds?: readonly string[]
  deploymentCohortId?: string
  /** None: one series of all devices together. */
  devices?: number
  from: Date
  to: Date
  /** How far apart the points of the answer are: the service makes one of all that were measured in that time. */
  stepMs: number
}

export const metricQuery = (workspaceId: string, asked: MetricAsked) =>
  queryOptions({
    queryKey: ['metrics', workspaceId, 'series', asked],
    queryFn: () => {
      const { metric, labels, aggregation, deviceIds, deploymentCohortId, devices } = asked
      return api.post('/workspaces/{workspaceId}/metrics/query', {
        params: { workspaceId },
        body: {
          metric,
          labels: { ...labels },
          aggregation,
          ...(deviceIds && { deviceIds: [...deviceIds] }),
          ...(deploymentCohortId !== undefined && { deploymentCohortId }),
          ...(devices === undefined ? { groupBy: 'None' } : { groupBy: 'Device', limit: devices }),
          from: asked.from.toISOString(),
          to: asked.to.toISOString(),
          stepSeconds: asked.stepMs / 1_000,
        },
      })
    },
    placeholderData: keepPreviousData,
  })

export interface ExposureAsked {
  days: number
  /** Only devices that run a version of it. */
  firmwareId?: string | undefined
  /** Also the devices that have this vulnerability. */
  cveId?: string | undefined
}

/** Devices by day, with the releases and roll-outs of these days. */
export const exposureQuery = (workspaceId: string, { days, firmwareId, cveId }: ExposureAsked) =>
  queryOptions({
    queryKey: ['exposure', workspaceId, days, firmwareId, cveId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/exposure', {
        params: { workspaceId },
        query: {
          days: String(days),
          ...(firmwareId !== undefined && { firmwareId }),
          ...(cveId !== undefined && { cveId }),
        },
      }),
    placeholderData: keepPreviousData,
  })
