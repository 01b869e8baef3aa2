/** Builds the mail of one message. */
import type { Mail } from '../../../platform/mail/letter.ts'
import { renderLetter } from './html.ts'
import {
  type ItemTable,
  type Letter,
  writeAlertLetter,
  type LetterSource,
  type Link,
  type Section,
} from './letter.ts'

export interface MailMessage extends LetterSource {
  /** A UUID. A repeated message has the same one. */
  messageId: string
  /** The domain of the sender, which stands after the @ of Message-IDs. */
  domain: string
  to: string
  workspaceId: string
}

/** The same input makes the same mail, so that a repeated message is unchanged. */
export function writeAlertMail(message: MailMessage): Mail {
  const { messageId, domain, to } = message
  const letter = writeAlertLetter(message)
  return {
    messageId: `${messageId}@${domain}`,
    to,
    subject: letter.subject,
    text: renderPlain(letter),
    html: renderLetter(letter),
    references: listReferences(message),
    headers: listHeaders(message),
  }
}

/** Mail programs show the mails of an incident as one conversation, because all of them refer to the same, invented id. */
function listReferences({ notices, domain }: MailMessage): string[] {
  const incidents = new Set(notices.map(({ incidentId }) => incidentId))
  const [incidentId, ...others] = incidents
  if (typeof incidentId !== 'string' || others.length > 0) return []
  return [`incident.${incidentId}@${domain}`]
}

function listHeaders({ kind, unsubscribeUrl }: MailMessage): Record<string, string> {
  // Suppresses out-of-office replies (RFC 3834; the second one for Exchange).
  const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
  if (kind === 'Confirmation' || unsubscribeUrl === null) return automatic
  return {
    ...automatic,
    // RFC 8058: one click in the mail program unsubscribes.
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

function renderPlain(letter: Letter): string {
  const { title, paragraphs, facts, items, sections, moreSections, link } = letter
  const blocks = [
    title,
    ...paragraphs,
    facts.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    items ? itemsText(items) : '',
    ...sections.map(sectionText),
    moreSections ?? '',
    link ? linkText(link) : '',
    [...letter.reasons, ...(letter.unsubscribe ? [linkText(letter.unsubscribe)] : [])].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function itemsText({ title, rows, more }: ItemTable): string {
  const lines = rows.map(({ label, value, since, url }) => {
    const text = value === '' ? label : `${label}: ${value}`
    const line = since === '' ? `- ${text}` : `- ${text}, since ${since}`
    return url === null ? line : `${line}\n  ${url}`
  })
  return [`${title}:`, ...lines, ...(more === null ? [] : [more])].join('\n')
}

function sectionText({ mark, title, paragraphs, link }: Section): string {
  const lines = [`* ${mark}: ${title}`, ...paragraphs, ...(link ? [link.url] : [])]
  return lines.join('\n  ')
}

function linkText({ label, url }: Link): string {
  return `${label}: ${url}`
}
