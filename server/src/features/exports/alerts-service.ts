/** Incidents and deliveries as CSV. */
import { listIncidents } from '../incidents/index.ts'
import { listNotifications } from '../notifications/index.ts'
import { defineExport } from './define-export-service.ts'

export const exportIncidents = defineExport(
  listIncidents,
  'incidents',
  [
    'id',
    ['rule', ({ alertRule }) => alertRule.name],
    ['type', ({ alertRule }) => alertRule.type],
    'conditionText',
    'beganAt',
    'endedAt',
    'endedCause',
    'acknowledgedAt',
    'acknowledgedByEmail',
    'note',
    ['assignee', ({ assignee }) => assignee?.email ?? null],
    'silencedUntil',
    'seriesCount',
    'firingSeriesCount',
  ],
  'incidents.csv',
)

export const exportNotifications = defineExport(
  listNotifications,
  'notifications',
  [
    'id',
    'title',
    'kind',
    'event',
    'incidentId',
    ['recipientType', ({ recipient }) => recipient.type],
    ['recipient', ({ recipient }) => recipient.name],
    ['emailAddress', ({ recipient }) => recipient.emailAddress],
    'state',
    'attempts',
    'answer',
    'createdAt',
    'dueAt',
    'finishedAt',
  ],
  'deliveries.csv',
)
