/** What the answer of an SMTP server means for a mail. */
import { cleanLine } from '../plain-line.ts'

export interface MailOutcome {
  outcome: 'Delivered' | 'Deferred' | 'Refused'
  /** The reply of the server, or the error that prevented one. */
  answer: string
  /** The server refuses the address itself, so every other server would refuse it too. */
  isRecipientRefused: boolean
  /** The whole mail was sent, and the server has not said whether it accepts it. */
  mayHaveArrived: boolean
}

const MOST_CHARACTERS = 500

export function readDelivery(reply: string): MailOutcome {
  return {
    outcome: 'Delivered',
    answer: cleanLine(reply, MOST_CHARACTERS),
    isRecipientRefused: false,
    mayHaveArrived: true,
  }
}

/** The fields of nodemailer's errors. */
interface SmtpFailure {
  response?: unknown
  responseCode?: unknown
  command?: unknown
}

export function readFailure(error: unknown, wasSent: boolean): MailOutcome {
  const { response, responseCode, command }: SmtpFailure =
    error instanceof Error ? (error as SmtpFailure) : {}
  const isReply = typeof response === 'string' && typeof responseCode === 'number'
  const answer = isReply ? response : error instanceof Error ? error.message : String(error)
  const isPermanent = isReply && responseCode >= 500
  return {
    outcome: isPermanent ? 'Refused' : 'Deferred',
    answer: cleanLine(answer, MOST_CHARACTERS),
    isRecipientRefused: isPermanent && command === 'RCPT TO' && concernsAddress(response),
    mayHaveArrived: wasSent && !isReply,
  }
}

/**
 * Not every refusal of a recipient concerns the address: the server may want a login (530, 535), the mailbox may be full
 * (552, X.2.2), or a policy may forbid it, such as one on relaying (X.7.X; RFC 3463). Such an address is not dead.
 */
function concernsAddress(reply: string): boolean {
  const [, code = '', status = ''] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? []
  return !['530', '535', '552'].includes(code) && !/^5\.(?:2\.2|7\.\d+)$/.test(status)
}
