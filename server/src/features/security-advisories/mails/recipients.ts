/** Why somebody is told of a revision by mail, and how it went. */

export const REASON_KINDS = ['Cohort', 'Customer', 'EarlierRevision'] as const

export const MAIL_STATES = ['Waiting', 'Delivered', 'Refused', 'Unwanted'] as const
export type MailState = (typeof MAIL_STATES)[number]

export interface RecipientReason {
  kind: (typeof REASON_KINDS)[number]
  /** Of the cohort or customer; null: there is nothing to name. */
  id: string | null
  name: string | null
}

export interface Recipient {
  /** In lower case, with the domain in ASCII. */
  address: string
  reasons: RecipientReason[]
}
