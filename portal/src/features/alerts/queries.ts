import type { AnswerOf } from '@plimsoll/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { RuleBody } from './rule-plan.ts'

export type Rule = AnswerOf<'listAlertRules'>[number]
export type Evaluation = Rule['evaluations'][number]
export type Incident = AnswerOf<'listAlertIncidents'>['incidents'][number]
export type DryRun = AnswerOf<'dryRunAlertRule'>
export type EmailTarget = AnswerOf<'listNotificationTargets'>['notificationTargets'][number]
export type Webhook = AnswerOf<'listWebhooks'>['webhooks'][number]
export type Notification = AnswerOf<'listNotifications'>['notifications'][number]

const PAGE = 50

export const rulesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'rules'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId }, query: {} }),
  })

/** Newest first; `isOpen` leaves out those that ended. */
export const incidentsQuery = (workspaceId: string, isOpen: boolean) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, 'incidents', isOpen],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/alert-incidents/list', {
        params: { workspaceId },
        body: { limit: PAGE, filter: { isOpen }, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const emailTargetsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'email-targets'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/notification-targets', { params: { workspaceId } }),
  })

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'webhooks'],
    queryFn: () => api.get('/workspaces/{workspaceId}/webhooks', { params: { workspaceId } }),
  })

/** Newest first. */
export const notificationsQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, 'notifications'],
    queryFn: ({ pageParam: cursor }) =>
      api.post('/workspaces/{workspaceId}/notifications/list', {
        params: { workspaceId },
        body: { limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const attemptsQuery = (workspaceId: string, notificationId: string) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'attempts', notificationId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/notifications/{notificationId}/attempts', {
        params: { workspaceId, notificationId },
      }),
  })

/** What the rule would have done in the last day. */
export const dryRunQuery = (workspaceId: string, rule: RuleBody | undefined) =>
  queryOptions({
    queryKey: ['alerts', workspaceId, 'dry-run', rule],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/alert-rules/dry-run', {
        params: { workspaceId },
        body: rule ?? ({} as RuleBody),
      }),
    enabled: rule !== undefined,
    retry: false,
  })
