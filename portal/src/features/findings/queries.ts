import type { AnswerOf, BodyOf } from '@plimsoll/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { FindingFilter, Sort } from './finding-filters.ts'

export type VulnerabilityRow = AnswerOf<'listWorkspaceVulnerabilities'>['vulnerabilities'][number]
export type Vulnerability = AnswerOf<'getWorkspaceVulnerability'>
export type FindingHere = Vulnerability['findings'][number]
export type Finding = AnswerOf<'getVulnerabilityFinding'>
export type Assess = BodyOf<'assessVulnerabilityFinding'>

const PAGE = 100
const ASCENDING = new Set<Sort>(['CveId'])

export const vulnerabilitiesQuery = (workspaceId: string, filter: FindingFilter, sort: Sort) =>
  infiniteQueryOptions({
    queryKey: ['findings', workspaceId, 'vulnerabilities', filter, sort],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/vulnerabilities/list', {
        params: { workspaceId },
        body: {
          filter,
          sortColumn: sort,
          ascending: ASCENDING.has(sort),
          limit: PAGE,
          ...(cursor !== '' && { cursor }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
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

export const findingQuery = (workspaceId: string, findingId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'finding', findingId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerability-findings/{findingId}', {
        params: { workspaceId, findingId },
      }),
  })

export const countsQuery = (workspaceId: string, filter: FindingFilter) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'counts', filter],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/counts', {
        params: { workspaceId },
        body: { filter },
      }),
  })

/** Which findings a decision holds for: these, or all of a vulnerability, also those that begin later. */
export type Reach = { findingIds: readonly string[] } | { cveId: string }

function bodyOf(reach: Reach) {
  if ('cveId' in reach) return { filter: { cveIds: [reach.cveId] }, alsoFuture: true }
  return { findingIds: [...reach.findingIds] }
}

export function assess(workspaceId: string, reach: Reach, decision: Assess) {
  return api.post('/workspaces/{workspaceId}/vulnerability-findings/bulk-assess', {
    params: { workspaceId },
    body: { ...decision, ...bodyOf(reach) },
  })
}

export function ignore(workspaceId: string, reach: Reach, ignored: boolean) {
  return api.post('/workspaces/{workspaceId}/vulnerability-findings/bulk-ignore', {
    params: { workspaceId },
    body: { ignored, ...bodyOf(reach) },
  })
}
