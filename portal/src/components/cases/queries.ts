/** Cases and product lines, as several pages ask for them. */
import type { CaseState, CaseType, DraftStage } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const productLinesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'product-lines'],
    queryFn: () => api.get('/workspaces/{workspaceId}/product-lines', { params: { workspaceId } }),
  })

export const productLineQuery = (workspaceId: string, productLineId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'product-line', productLineId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/product-lines/{productLineId}', {
        params: { workspaceId, productLineId },
      }),
  })

export interface CaseFilter {
  state?: CaseState
  type?: CaseType
  /** Leaves out what is closed or dismissed. */
  isOpen?: 'true'
  isDrill?: 'true' | 'false'
  isLate?: 'true'
  listedBefore?: string
  cveId?: string
}

/** The service judges what is late: asked again each minute, whatever the clock of this machine says. */
const AGAIN_MS = 60_000

export const casesQuery = (workspaceId: string, filter: CaseFilter) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'list', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/cases', { params: { workspaceId }, query: { ...filter } }),
    refetchInterval: AGAIN_MS,
  })

export const caseQuery = (workspaceId: string, caseId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'one', caseId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/cases/{caseId}', { params: { workspaceId, caseId } }),
    refetchInterval: AGAIN_MS,
  })

export const draftQuery = (workspaceId: string, caseId: string, stage: DraftStage) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'draft', caseId, stage],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/cases/{caseId}/drafts/{stage}', {
        params: { workspaceId, caseId, stage },
      }),
  })

export interface DisclosureReportFilter {
  isOpen?: 'true'
  isWaiting?: 'true'
  caseId?: string
}

export const disclosureReportsQuery = (workspaceId: string, filter: DisclosureReportFilter) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'disclosure-reports', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/disclosure-reports', {
        params: { workspaceId },
        query: { ...filter },
      }),
    refetchInterval: AGAIN_MS,
  })

export const disclosureReportQuery = (workspaceId: string, reportId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'disclosure-report', reportId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/disclosure-reports/{reportId}', {
        params: { workspaceId, reportId },
      }),
    refetchInterval: AGAIN_MS,
  })

export const disclosurePolicyQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'disclosure-policy'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/disclosure-policy', { params: { workspaceId } }),
  })

export const upstreamReportsQuery = (workspaceId: string, cveId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'upstream-reports', cveId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/upstream-reports', {
        params: { workspaceId },
        query: { cveId },
      }),
  })

export const intermediateDraftQuery = (workspaceId: string, caseId: string, requestId: string) =>
  queryOptions({
    queryKey: ['cases', workspaceId, 'intermediate-draft', caseId, requestId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/cases/{caseId}/report-requests/{requestId}/draft', {
        params: { workspaceId, caseId, requestId },
      }),
  })
