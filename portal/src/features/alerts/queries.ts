import type { AlertRule, Notification } from '@plimsoll/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { RuleBody } from './rule-plan.ts'

export type Evaluation = AlertRule['evaluations'][number]

const PAGE = 50
/** Rules are looked at once a minute at most. */
const EVALUATED_MS = 60_000

export interface IncidentFilter {
  isOpen?: boolean
  alertRuleIds?: string[]
  assigneeIds?: string[]
  assigned?: boolean
}

/** With its entity tag, which a rule of the list has not. */
export const ruleQuery = (workspaceId: string, alertRuleId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'rule', alertRuleId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', {
        params: { workspaceId, alertRuleId },
      }),
  })

/** Newest first. */
export const incidentsQuery = (workspaceId: string, filter: IncidentFilter, limit = PAGE) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, 'incidents', filter, limit],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/alert-incidents/list', {
        params: { workspaceId },
        body: { limit, filter, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const incidentQuery = (workspaceId: string, incidentId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'incident', incidentId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-incidents/{incidentId}', {
        params: { workspaceId, incidentId },
      }),
    retry: false,
  })

/** What fired in it, what is firing first. */
export const incidentSeriesQuery = (workspaceId: string, incidentId: string) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, 'incident', incidentId, 'series'],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/alert-incidents/{incidentId}/series/list', {
        params: { workspaceId, incidentId },
        body: { limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** What else changed on its devices. */
export const incidentChangesQuery = (workspaceId: string, incidentId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'incident', incidentId, 'changes'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-incidents/{incidentId}/changes', {
        params: { workspaceId, incidentId },
      }),
  })

/** The most silences that the service answers in one page. */
const MOST_SILENCES = 1_000

interface SilenceFilter {
  isActive?: 'true'
  alertIncidentId?: string
}

/** The newest first. */
export const silencesQuery = (workspaceId: string, filter: SilenceFilter) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'silences', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-silences', {
        params: { workspaceId },
        query: { ...filter, limit: MOST_SILENCES },
      }),
    select: ({ silences }) => silences,
  })

const EVALUATIONS = 60

/** The latest, newest first. */
export const evaluationsQuery = (workspaceId: string, alertRuleId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'evaluations', alertRuleId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-rules/{alertRuleId}/evaluations', {
        params: { workspaceId, alertRuleId },
        query: { limit: EVALUATIONS },
      }),
    refetchInterval: EVALUATED_MS,
  })

export const emailTargetsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'email-targets'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/notification-targets', { params: { workspaceId } }),
  })

export interface NotificationFilter {
  states?: Notification['state'][]
  webhookId?: string
  incidentId?: string
}

const UNDER_WAY_MS = 2000

/** Newest first. Asked often while one is due. */
export const notificationsQuery = (workspaceId: string, filter: NotificationFilter) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, 'notifications', filter],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/notifications/list', {
        params: { workspaceId },
        body: { limit: PAGE, filter, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ notifications }) => notifications.some(isDue)) === true
        ? UNDER_WAY_MS
        : false,
  })

function isDue({ state, dueAt }: Notification): boolean {
  return state === 'Pending' && Date.parse(dueAt) <= Date.now() + UNDER_WAY_MS
}

/** What a webhook is sent; `request` is null for a mail. */
export const requestQuery = (workspaceId: string, notificationId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'request', notificationId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/notifications/{notificationId}/request', {
        params: { workspaceId, notificationId },
      }),
  })

export const attemptsQuery = (workspaceId: string, notificationId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'attempts', notificationId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/notifications/{notificationId}/attempts', {
        params: { workspaceId, notificationId },
      }),
  })

/** A rule as it is tried, and on how many of the last days. */
export interface Trial {
  /** undefined: it is not filled in yet. */
  rule: RuleBody | undefined
  days: number
}

/** What the rule would have done in these days. */
export const dryRunQuery = (workspaceId: string, { rule, days }: Trial) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'dry-run', rule, days],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/alert-rules/dry-run', {
        params: { workspaceId },
        query: { days },
        body: rule ?? ({} as RuleBody),
      }),
    enabled: rule !== undefined,
    retry: false,
  })
