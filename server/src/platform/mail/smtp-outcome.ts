/** What an SMTP server's answer means for a mail. */
export interface MailOutcome {
  outcome: 'Delivered' | 'Deferred' | 'Refused'
  /** The server's reply, else what went wrong on the way. */
  answer: string
  /** The address is not one the server, or any other, takes mail for. */
  isRecipientRefused: boolean
  /** The mail left whole, and nobody said what became of it. */
  mayHaveArrived: boolean
}

const MOST_CHARACTERS = 500

/** One line, without what would steer a terminal or turn the text around. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return Array.from(line).slice(0, MOST_CHARACTERS).join('')
}

export function delivered(reply: string): MailOutcome {
  return {
    outcome: 'Delivered',
    answer: oneLine(reply),
    isRecipientRefused: false,
    mayHaveArrived: true,
  }
}

/** What nodemailer's errors tell besides their message. */
interface SmtpFailure {
  response?: unknown
  responseCode?: unknown
  command?: unknown
}

export function failed(error: unknown, wasSent: boolean): MailOutcome {
  const { response, responseCode, command }: SmtpFailure =
    error instanceof Error ? (error as SmtpFailure) : {}
  const isReply = typeof response === 'string' && typeof responseCode === 'number'
  const answer = isReply ? response : error instanceof Error ? error.message : String(error)
  const isPermanent = isReply && responseCode >= 500
  return {
    outcome: isPermanent ? 'Refused' : 'Deferred',
    answer: oneLine(answer),
    isRecipientRefused: isPermanent && command === 'RCPT TO' && speaksOfAddress(response),
    mayHaveArrived: wasSent && !isReply,
  }
}

/**
 * Of the refusals of a recipient, some are the server's trouble with us or its own: a login it wants (530), a mailbox
 * that is full (552, X.2.2) and policy, relaying among it (X.7.X; RFC 3463). They end, and no address is dead for them.
 */
function speaksOfAddress(reply: string): boolean {
  const [, code = '', status = ''] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? []
  return !['530', '535', '552'].includes(code) && !/^5\.(?:2\.2|7\.\d+)$/.test(status)
}
