import type { AttemptOutcome, outbox } from '../notifications/index.ts'

/** The notifications that form one message. */
export interface Claim {
  recipient: outbox.Recipient
  messageId: string
  rows: readonly outbox.ClaimedRow[]
  beganAt: Date
}

export interface DeliveryOutcome {
  outcome: AttemptOutcome | 'Dropped'
  answer: string
  /** The server asks to wait for so long. */
  retryAfterMs?: number | undefined
  mayHaveArrived?: boolean
}
