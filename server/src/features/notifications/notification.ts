/** A notification: its kind, its state and the notice it delivers. */
export const NOTIFICATION_KINDS = ['Incident', 'Test', 'Confirmation'] as const
export const NOTIFICATION_STATES = ['Pending', 'Delivered', 'Failed', 'Dropped'] as const
export const ATTEMPT_OUTCOMES = ['Delivered', 'Deferred', 'Refused'] as const

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
export type NotificationState = (typeof NOTIFICATION_STATES)[number]
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** How long delivery is tried, counted from the first due time. */
export const GIVE_UP_MS = 3 * 86_400_000

export const NOTICE_EVENTS = ['Fired', 'StillFiring', 'Resolved', 'Test'] as const

export type NoticeEvent = (typeof NOTICE_EVENTS)[number]

/** The content of a message. It is complete, so that a late delivery says the same as an early one. */
export interface Notice {
  event: NoticeEvent
  workspaceName: string
  /** One line; what a subject says. */
  title: string
  /** One or two sentences. */
  text: string
  facts: readonly { name: string; value: string }[]
  /** The first of what fires or fired, and how many more there are. */
  items: readonly { label: string; value: string | null; since: string | null }[]
  moreItems: number
  /** Where to read on, below the public URL; null: nowhere. */
  path: string | null
  /** When it happened. */
  at: string
  /** What programs get besides. */
  data: Readonly<Record<string, unknown>>
}

export interface Asking {
  workspaceName: string
  /** Of the target or the webhook. */
  name: string
  /** Who asked; undefined: not known. */
  askedBy: string | undefined
  at: string
}

const NOTHING_ELSE = { items: [], moreItems: 0, path: null, data: {} } as const

function factsOf({ workspaceName, name, askedBy }: Asking): Notice['facts'] {
  const facts = [
    { name: 'Workspace', value: workspaceName },
    { name: 'Target', value: name },
  ]
  return askedBy === undefined ? facts : [...facts, { name: 'Asked for by', value: askedBy }]
}

export function testNotice(asking: Asking): Notice {
  const { workspaceName, name, at } = asking
  return {
    event: 'Test',
    workspaceName,
    title: `Test of ${name}`,
    text: 'This is a test. Alerts of rules that name this target arrive the same way.',
    facts: factsOf(asking),
    at,
    ...NOTHING_ELSE,
  }
}

export function confirmationNotice(asking: Asking): Notice {
  const { workspaceName, at } = asking
  return {
    event: 'Test',
    workspaceName,
    title: `Do you want alerts of ${workspaceName}?`,
    text: `Somebody of the workspace ${workspaceName} wants its alerts to reach this address. Nothing is sent to it before you confirm.`,
    facts: factsOf(asking),
    at,
    ...NOTHING_ELSE,
  }
}
