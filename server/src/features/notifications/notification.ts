/** A notification: its kind, its state and the notice it delivers. */
import { DAY_MS } from '../../formats/instants.ts'

export const NOTIFICATION_KINDS = ['Incident', 'Test', 'Confirmation', 'Acceptance'] as const
export const NOTIFICATION_STATES = ['Pending', 'Delivered', 'Failed', 'Dropped'] as const
export const ATTEMPT_OUTCOMES = ['Delivered', 'Deferred', 'Refused'] as const

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
export type NotificationState = (typeof NOTIFICATION_STATES)[number]
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** How long delivery is tried, counted from the first due time. */
export const GIVE_UP_MS = 3 * DAY_MS

export const NOTICE_EVENTS = ['Fired', 'StillFiring', 'Resolved', 'Test', 'AcceptancesEnd'] as const

export type NoticeEvent = (typeof NOTICE_EVENTS)[number]

/** The content of a message. It is complete, so that a late delivery says the same as an early one. */
export interface Notice {
  event: NoticeEvent
  workspaceName: string
  /** One line, for the subject of a mail. */
  title: string
  /** One or two sentences. */
  text: string
  facts: readonly { name: string; value: string }[]
  /** The first of the series that fire or fired. */
  items: readonly {
    label: string
    value: string | null
    since: string | null
    /** The path of the portal's page about it. Items that were stored earlier have none. */
    path?: string
  }[]
  /** How many more there are. */
  moreItems: number
  /** The path of the page to read on, below the public URL. */
  path: string | null
  /** The instant of the event. */
  at: string
  /** Further fields of the webhook's message. */
  data: Readonly<Record<string, unknown>>
}

export interface AskedBy {
  workspaceName: string
  /** The name of the target or the webhook. */
  name: string
  /** Who asked; undefined when that is not known. */
  askedBy: string | undefined
  at: string
}

const NOTHING_ELSE = { items: [], moreItems: 0, path: null, data: {} } as const

function listFacts({ workspaceName, name, askedBy }: AskedBy): Notice['facts'] {
  const facts = [
    { name: 'Workspace', value: workspaceName },
    { name: 'Target', value: name },
  ]
  return askedBy === undefined ? facts : [...facts, { name: 'Asked for by', value: askedBy }]
}

export function testNotice(asked: AskedBy): Notice {
  const { workspaceName, name, at } = asked
  return {
    event: 'Test',
    workspaceName,
    title: `Test of ${name}`,
    text: 'This is a test. Alerts of rules that name this target arrive the same way.',
    facts: listFacts(asked),
    at,
    ...NOTHING_ELSE,
  }
}

export function writeConfirmationNotice(asked: AskedBy): Notice {
  const { workspaceName, at } = asked
  return {
    event: 'Test',
    workspaceName,
    title: `Do you want alerts of ${workspaceName}?`,
    text: `Somebody of the workspace ${workspaceName} wants its alerts to reach this address. Nothing is sent to it before you confirm.`,
    facts: listFacts(asked),
    at,
    ...NOTHING_ELSE,
  }
}
