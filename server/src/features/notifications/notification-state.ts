export const NOTIFICATION_KINDS = ['Incident', 'Test', 'Confirmation'] as const
export const NOTIFICATION_STATES = ['Pending', 'Delivered', 'Failed', 'Dropped'] as const
export const ATTEMPT_OUTCOMES = ['Delivered', 'Deferred', 'Refused'] as const

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
export type NotificationState = (typeof NOTIFICATION_STATES)[number]
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]
