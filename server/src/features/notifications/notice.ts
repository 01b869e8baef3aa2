/** What people and programs are told: complete, so that it says the same whenever it is delivered. */
export const NOTICE_EVENTS = ['Fired', 'StillFiring', 'Resolved', 'Test'] as const

export type NoticeEvent = (typeof NOTICE_EVENTS)[number]

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
