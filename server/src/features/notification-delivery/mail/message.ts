/** The mail that tells one reader of what waited for them. */
import type { Mail } from '../../../platform/mail/mailer.ts'
import { htmlOf } from './html.ts'
import {
  type ItemTable,
  type Letter,
  letterOf,
  type LetterSource,
  type Link,
  type Section,
} from './letter.ts'

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

function plainOf(letter: Letter): string {
  const { title, paragraphs, facts, items, sections, moreSections, link } = letter
  const blocks = [
    title,
    ...paragraphs,
    facts.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    items ? itemsText(items) : '',
    ...sections.map(sectionText),
    moreSections ?? '',
    link ? linkText(link) : '',
    [...letter.reasons, ...(letter.leave ? [linkText(letter.leave)] : [])].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function itemsText({ title, rows, more }: ItemTable): string {
  const lines = rows.map(({ label, value, since }) => {
    const said = value === '' ? label : `${label}: ${value}`
    return since === '' ? `- ${said}` : `- ${said}, since ${since}`
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
