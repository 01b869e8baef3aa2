import type { AttemptOutcome, outbox } from '../notifications/index.ts'

/** The notifications that form one message. */
export interface Claim {
  recipient: outbox.Recipient
  messageId: string
  rows: readonly outbox.ClaimedRow[]
  beganAt: Date
}

export interface DeliveryOutcome<Transaction> {
  outcome: AttemptOutcome | 'Dropped'
  answer: string
  /** The server asks to wait for so long. */
  retryAfterMs?: number | undefined
  mayHaveArrived?: boolean
  /** Records what the answer says of the address or webhook, in the transaction that records the attempt. */
  recordAnswer?: (tx: Transaction, at: Date) => Promise<void>
}

/** A message that is ready to be sent, or what became of it without that. */
export type PreparedAttempt<Transaction> =
  | DeliveryOutcome<Transaction>
  | ((signal: AbortSignal) => Promise<DeliveryOutcome<Transaction>>)
