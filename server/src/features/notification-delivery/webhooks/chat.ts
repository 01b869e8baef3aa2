/**
 * Messages as chats read them: blocks of Slack's Block Kit (docs.slack.dev/reference/block-kit), and an Adaptive Card 1.4 as the
 * workflow "post to a channel when a webhook request is received" of Teams takes it (adaptivecards.io/explorer).
 */
import type { Notice } from '../../notifications/index.ts'
import { shortenText } from '../../../formats/shorten.ts'

export interface ChatSource {
  notice: Notice
  publicUrl: string
  /** Whether there are pages of the portal to link to. */
  hasPortal: boolean
}

interface Chat {
  /** Where to read on; null: nowhere. */
  url: string | null
  lines: { label: string; url: string | null; value: string }[]
  /** "and 12 more", or empty. */
  more: string
}

/** Both chats cut longer messages or refuse them. */
const MOST_LINES = 10
const MOST_HEADER = 150
const MOST_TEXT = 3_000
/** How long a label and a value may be. A card of Teams may have 28 kB. */
const MOST_CHARACTERS = 500

const short = (text: string) => shortenText(text, MOST_CHARACTERS)

function readNotice({ notice, publicUrl, hasPortal }: ChatSource): Chat {
  const { facts, items, moreItems, path } = notice
  const shown = items.slice(0, MOST_LINES)
  const left = items.length - shown.length + moreItems
  return {
    url: path === null ? null : publicUrl + path,
    lines: [
      ...facts
        .slice(0, MOST_LINES)
        .map(({ name, value }) => ({ label: short(name), url: null, value: short(value) })),
      ...shown.map((item) => ({
        label: short(item.label),
        url: hasPortal && item.path !== undefined ? publicUrl + item.path : null,
        value: short(item.value ?? ''),
      })),
    ],
    more: left > 0 ? `and ${left} more` : '',
  }
}

/** The three characters that begin something in Slack's mrkdwn. */
const inSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function writeSlackMessage(source: ChatSource): object {
  const { title, text, workspaceName } = source.notice
  const { url, lines, more } = readNotice(source)
  const lineOf = ({ label, url: to, value }: Chat['lines'][number]) => {
    const name = to === null ? inSlack(label) : `<${to}|${inSlack(label)}>`
    return value === '' ? name : `${name}: ${inSlack(value)}`
  }
  const body = [inSlack(text), ...lines.map(lineOf), more].filter((line) => line !== '').join('\n')
  return {
    // What notifications and clients without blocks show.
    text: inSlack(short(title)),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: shortenText(title, MOST_HEADER) } },
      { type: 'section', text: { type: 'mrkdwn', text: shortenText(body, MOST_TEXT) } },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: shortenText(workspaceName, MOST_HEADER) }],
      },
      ...(url === null
        ? []
        : [
            {
              type: 'actions',
              elements: [
                { type: 'button', url, text: { type: 'plain_text', text: 'Open in Plimsoll' } },
              ],
            },
          ]),
    ],
  }
}

/** Cards read a part of Markdown. */
const inTeams = (text: string) => text.replaceAll(/[\\`*_[\]()#~]/g, String.raw`\$&`)

export function writeTeamsMessage(source: ChatSource): object {
  const { title, text, workspaceName } = source.notice
  const { url, lines, more } = readNotice(source)
  const facts = lines.map((line) => ({
    title: inTeams(line.label),
    value:
      line.url === null ? inTeams(line.value) : `[${inTeams(line.value || 'open')}](${line.url})`,
  }))
  const block = (words: string, look: object = {}) => ({
    type: 'TextBlock',
    text: inTeams(words),
    wrap: true,
    ...look,
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(short(title), { weight: 'Bolder', size: 'Medium' }),
      block(shortenText(text, MOST_TEXT)),
      ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
      ...(more === '' ? [] : [block(more)]),
      block(workspaceName, { isSubtle: true, size: 'Small' }),
    ],
    actions: url === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Plimsoll', url }],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null }
  return { type: 'message', attachments: [{ ...attachment, content }] }
}
