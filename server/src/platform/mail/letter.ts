/** A mail, and the text of one with a link to follow. */
import { renderHtml } from '../html.ts'
import { cleanLine } from '../plain-line.ts'

export interface Letter {
  subject: string
  text: string
  html: string
}

export interface Mail extends Letter {
  /** The Message-ID without brackets. A repeated mail has the same one. */
  messageId: string
  to: string
  /** Message-IDs of the mails that this one continues. */
  references: readonly string[]
  headers: Readonly<Record<string, string>>
}

interface LetterParts {
  subject: string
  /** Paragraphs before and after the link. */
  before: readonly string[]
  link: { label: string; url: string }
  after: readonly string[]
}

const MOST_SUBJECT_CHARACTERS = 200

export function writeLetter({ subject, before, link, after }: LetterParts): Letter {
  const paragraphs = (texts: readonly string[]) => texts.map((text) => renderHtml`<p>${text}</p>`)
  return {
    subject: cleanLine(subject, MOST_SUBJECT_CHARACTERS),
    text: [...before, link.url, ...after].join('\n\n'),
    html: String(renderHtml`<!doctype html><html lang="en"><meta charset="utf-8">
<body style="font:16px/1.5 system-ui,sans-serif;color:#1a2733;max-width:36rem">
${paragraphs(before)}
<p><a href="${link.url}">${link.label}</a></p>
${paragraphs(after)}
</body></html>`),
  }
}
