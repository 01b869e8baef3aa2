/** The mail that tells one reader of what waited for them. */
import type { Mail } from '../../platform/mail/mailer.ts'
import { htmlOf } from './mail-html.ts'
import { letterOf, type LetterSource } from './mail-letter.ts'
import { plainOf } from './mail-plain.ts'

export interface MailMessage extends LetterSource {
  /** A UUID; the same when it is sent again. */
  messageId: string
  /** Of the sender: the right side of ids. */
  domain: string
  to: string
  workspaceId: string
}

/** Says the same whenever it is called with the same. */
export function mailOf(message: MailMessage): Mail {
  const { messageId, domain, to } = message
  const letter = letterOf(message)
  return {
    messageId: `${messageId}@${domain}`,
    to,
    subject: letter.subject,
    text: plainOf(letter),
    html: htmlOf(letter),
    references: referencesOf(message),
    headers: headersOf(message),
  }
}

/** All mails of an incident continue one that there never was: mail programs show them as one conversation. */
function referencesOf({ notices, domain }: MailMessage): string[] {
  const incidents = new Set(notices.map(({ incidentId }) => incidentId))
  const [incidentId, ...others] = incidents
  if (typeof incidentId !== 'string' || others.length > 0) return []
  return [`incident.${incidentId}@${domain}`]
}

function headersOf({ kind, unsubscribeUrl }: MailMessage): Record<string, string> {
  // RFC 3834, and what Exchange goes by: nobody's absence is answered with.
  const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
  if (kind === 'Confirmation' || unsubscribeUrl === null) return automatic
  return {
    ...automatic,
    // RFC 8058: one click in the mail program ends it.
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}
