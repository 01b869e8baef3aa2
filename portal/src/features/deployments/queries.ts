import type { Deployment, DeploymentCohort, DeploymentPreview } from '@plimsoll/api-client'
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type UseMutationResult,
} from '@tanstack/react-query'
import { api } from '../../api.ts'
import { DEVICE_STATES, type DeviceState } from '../../components/update-states.ts'
import { listChanges, type SupposedVersion } from './what-if.ts'

export type RemovedFindings = DeploymentPreview['net']['removed']

const PAGE = 100
const HISTORY = 20

export interface DeploymentName {
  deploymentCohortId: string
  deploymentId: string
}

export const cohortQuery = (workspaceId: string, deploymentCohortId: string) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'cohort', deploymentCohortId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}', {
        params: { workspaceId, deploymentCohortId },
      }),
  })

/** Newest first. */
export const historyQuery = (workspaceId: string, deploymentCohortId: string) =>
  infiniteQueryOptions({
    queryKey: ['deployments', workspaceId, 'of-cohort', deploymentCohortId],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments', {
        params: { workspaceId, deploymentCohortId },
        query: { limit: HISTORY, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** Lists the members by id. */
export const membersQuery = (workspaceId: string, deploymentCohortId: string) =>
  infiniteQueryOptions({
    queryKey: ['deployments', workspaceId, 'members', deploymentCohortId],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/devices', {
        params: { workspaceId, deploymentCohortId },
        query: { limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** Which devices would change their cohort by a rule. `deploymentCohortId` undefined: that of a new cohort. */
export const ruleQuery = (
  workspaceId: string,
  deploymentCohortId: string | undefined,
  tagRule: DeploymentCohort['tagRule'],
) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'rule', deploymentCohortId, tagRule],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/deployment-cohorts/preview', {
        params: { workspaceId },
        body: { deploymentCohortId: deploymentCohortId ?? null, tagRule },
      }),
    placeholderData: keepPreviousData,
    retry: false,
  })

export const deploymentQuery = (workspaceId: string, name: DeploymentName) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'one', name.deploymentId],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}',
        { params: { workspaceId, ...name } },
      ),
  })

export interface UpdateFilter {
  /** undefined: all that are in the cohort. */
  state: DeviceState | undefined
  reason: string | undefined
}

export const updatesQuery = (
  workspaceId: string,
  name: DeploymentName,
  { state, reason }: UpdateFilter,
) =>
  infiniteQueryOptions({
    queryKey: ['deployments', workspaceId, 'updates', name.deploymentId, state, reason],
    queryFn: ({ pageParam: cursor }) =>
      api.post(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/device-updates/list',
        {
          params: { workspaceId, ...name },
          body: {
            limit: PAGE,
            filter: writeFilter({ state, reason }),
            ...(cursor !== '' && { cursor }),
          },
        },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** The list as CSV. */
export const exportUpdates = (
  workspaceId: string,
  { deploymentCohortId, deploymentId }: DeploymentName,
  filter: UpdateFilter,
) => ({
  path: `/workspaces/${workspaceId}/deployment-cohorts/${deploymentCohortId}/deployments/${deploymentId}/device-updates/export`,
  body: { filter: writeFilter(filter) },
})

const writeFilter = ({ state, reason }: UpdateFilter) => ({
  deviceStates: state ? [state] : DEVICE_STATES.filter((one) => one !== 'left'),
  ...(reason !== undefined && { reasons: [reason] }),
})

export const whatIfQuery = (workspaceId: string, supposed: readonly SupposedVersion[]) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'what-if', supposed],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/exposure/what-if', {
        params: { workspaceId },
        body: { changes: listChanges(supposed) },
      }),
    placeholderData: keepPreviousData,
  })

/** What deploying a version to a cohort would change on its devices. */
export const previewQuery = (
  workspaceId: string,
  deploymentCohortId: string,
  firmwareVersionId: string,
) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'preview', deploymentCohortId, firmwareVersionId],
    queryFn: () =>
      api.post(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/preview',
        {
          params: { workspaceId, deploymentCohortId },
          body: { artifacts: [{ firmwareVersionId }] },
        },
      ),
    enabled: deploymentCohortId !== '' && firmwareVersionId !== '',
  })

/** `firmwareVersionId` undefined: the version of before comes back. */
export const rollbackPreviewQuery = (
  workspaceId: string,
  name: DeploymentName,
  firmwareVersionId: string | undefined,
) =>
  queryOptions({
    queryKey: [
      'deployments',
      workspaceId,
      'rollback-preview',
      name.deploymentId,
      firmwareVersionId,
    ],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/rollback-preview',
        {
          params: { workspaceId, ...name },
          query: { ...(firmwareVersionId !== undefined && { firmwareVersionId }) },
        },
      ),
    retry: false,
  })

/** Pauses, resumes or cancels a deployment, or begins the phase of that index. */
type Act = 'pause' | 'resume' | 'cancel' | { nextPhase: number }

export type StateChange = UseMutationResult<Deployment, Error, Act>

export function act(workspaceId: string, name: DeploymentName, what: Act): Promise<Deployment> {
  const params = { workspaceId, ...name }
  const base =
    '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}'
  if (typeof what === 'object')
    return api.post(`${base}/next-phase`, { params, query: { phase: what.nextPhase } })
  switch (what) {
    case 'pause':
      return api.post(`${base}/pause`, { params })
    case 'resume':
      return api.post(`${base}/resume`, { params })
    case 'cancel':
      return api.post(`${base}/cancel`, { params })
  }
}

/** Answers the new deployment. Refused where it would restore another than the one that was shown. */
export const rollBack = (
  workspaceId: string,
  name: DeploymentName,
  { restores, firmwareVersionId }: { restores: string; firmwareVersionId: string | undefined },
): Promise<Deployment> =>
  api.post(
    '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/rollback',
    {
      params: { workspaceId, ...name },
      query: { restores, ...(firmwareVersionId !== undefined && { firmwareVersionId }) },
    },
  )

/** Why devices failed, and what they have in common. */
export const failuresQuery = (workspaceId: string, name: DeploymentName, isWanted: boolean) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'failures', name.deploymentId],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/failures',
        { params: { workspaceId, ...name } },
      ),
    enabled: isWanted,
  })

/** Whether updated devices do worse than those that wait, by each phase that asks for it. */
export const comparisonQuery = (workspaceId: string, name: DeploymentName) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'comparison', name.deploymentId],
    queryFn: () =>
      api.get(
        '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/comparison',
        { params: { workspaceId, ...name } },
      ),
  })

interface RetriedDevices {
  /** undefined: all that failed. */
  reason: string | undefined
  /** Only those for which something has changed since they failed. */
  isOfChanged: boolean
}

export const retryUpdates = (
  workspaceId: string,
  name: DeploymentName,
  { reason, isOfChanged }: RetriedDevices,
): Promise<Deployment> =>
  api.post(
    '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}/device-updates/retry',
    {
      params: { workspaceId, ...name },
      body: {
        ...(reason !== undefined && { reasons: [reason] }),
        ...(isOfChanged && { changedOnly: true }),
      },
    },
  )
