/** The content of a mail, from which its plain text and its HTML are made. Every text is one line of limited length. */
import { summariseEntries, groupByIncident, type Entry, type WaitingNotice } from './entries.ts'
import type { Notice, NotificationKind } from '../../notifications/index.ts'
import { shortenText } from '../../../formats/shorten.ts'

export interface Letter {
  subject: string
  workspaceName: string
  tone: Tone
  /** The state in one word: `Firing`, `Resolved`. */
  mark: string
  title: string
  paragraphs: readonly string[]
  facts: readonly { name: string; value: string }[]
  items: ItemTable | null
  sections: readonly Section[]
  moreSections: string | null
  link: Link | null
  /** Why the reader gets the mail, and what to do about it. */
  reasons: readonly string[]
  unsubscribe: Link | null
}

export type Tone = 'Firing' | 'Resolved' | 'Ended' | 'Neutral'

export interface Link {
  label: string
  url: string
}

export interface ItemTable {
  title: string
  rows: readonly { label: string; value: string; since: string; url: string | null }[]
  more: string | null
}

/** One alert of a mail about several. */
export interface Section {
  tone: Tone
  mark: string
  title: string
  paragraphs: readonly string[]
  link: Link | null
}

export interface LetterSource {
  publicUrl: string
  /** Whether there are pages of the portal to link to. */
  hasPortal: boolean
  targetName: string | null
  kind: NotificationKind
  /** One or more, oldest first. */
  notices: readonly WaitingNotice[]
  confirmUrl: string | null
  unsubscribeUrl: string | null
}

const MOST = {
  subject: 200,
  workspaceInSubject: 60,
  name: 200,
  value: 60,
  title: 300,
  text: 1_000,
  fact: 500,
  facts: 20,
  items: 20,
  sections: 20,
  itemsOfSection: 5,
} as const

export function writeAlertLetter(source: LetterSource): Letter {
  const { kind, notices } = source
  if (kind === 'Confirmation') return confirmationLetter(source)
  const entries = groupByIncident(notices)
  const [entry, ...others] = entries
  if (!entry) throw new Error('A mail has at least one notice.')
  const letter = others.length > 0 ? summaryLetter(source, entries) : singleLetter(source, entry)
  const reasons = [writeReason(letter, source)]
  const url = source.unsubscribeUrl
  return {
    ...letter,
    reasons,
    unsubscribe: url === null ? null : { label: 'Send me no more', url },
  }
}

function blank({ workspaceName, title }: Notice): Letter {
  const name = oneLine(workspaceName, MOST.name)
  return {
    subject: writeSubject(workspaceName, title),
    workspaceName: name,
    tone: 'Neutral',
    mark: '',
    title: oneLine(title, MOST.title),
    paragraphs: [],
    facts: [],
    items: null,
    sections: [],
    moreSections: null,
    link: null,
    reasons: [],
    unsubscribe: null,
  }
}

function writeSubject(workspaceName: string, title: string): string {
  return oneLine(`[${oneLine(workspaceName, MOST.workspaceInSubject)}] ${title}`, MOST.subject)
}

function writeReason(
  { workspaceName }: Letter,
  { targetName }: Pick<LetterSource, 'targetName'>,
): string {
  if (targetName === null) return `The workspace ${workspaceName} sends its alerts to this address.`
  const target = oneLine(targetName, MOST.name)
  return `You get this because the target “${target}” of the workspace ${workspaceName} has your address.`
}

function confirmationLetter({ notices, confirmUrl }: LetterSource): Letter {
  const notice = notices.at(-1)?.notice
  if (!notice) throw new Error('A mail has at least one notice.')
  const workspaceName = withoutLinks(notice.workspaceName)
  const letter = blank({ ...notice, workspaceName, title: withoutLinks(notice.title) })
  return {
    ...letter,
    mark: 'To confirm',
    paragraphs: [withoutLinks(oneLine(notice.text, MOST.text))],
    facts: listFacts(notice).map(({ name, value }) => ({
      name,
      // The reader may want to write to the person who asks.
      value: name === 'Asked for by' ? value : withoutLinks(value),
    })),
    link: confirmUrl === null ? null : { label: 'Confirm this address', url: confirmUrl },
    reasons: [
      'The link opens a page on which you agree. It works for seven days.',
      'If you do not expect this, ignore it: no alerts are sent to you.',
    ],
  }
}

function listFacts({ facts }: Notice): Letter['facts'] {
  return facts.slice(0, MOST.facts).map(({ name, value }) => ({
    name: oneLine(name, MOST.name),
    value: oneLine(value, MOST.fact),
  }))
}

const BEGAN_AND_ENDED =
  'It began and ended before this mail could be sent. There was no earlier mail about it.'

function singleLetter(source: LetterSource, entry: Entry): Letter {
  const { latest, state, isNew } = entry
  const text = oneLine(latest.text, MOST.text)
  const isTest = source.kind === 'Test'
  return {
    ...blank(latest),
    tone: isTest ? 'Neutral' : state,
    mark: isTest ? 'Test' : chooseMark(entry),
    paragraphs: state !== 'Firing' && isNew ? [text, BEGAN_AND_ENDED] : [text],
    facts: listFacts(latest),
    items: createItemTable(latest, source),
    link: createLink(latest, source),
  }
}

function chooseMark({ state, latest }: Entry): string {
  return latest.event === 'StillFiring' ? 'Still firing' : state
}

function createLink({ path }: Notice, { publicUrl }: LetterSource): Link | null {
  if (path?.startsWith('/') !== true) return null
  return { label: 'See the incident', url: `${publicUrl}${path}` }
}

function createItemTable(
  { event, items, moreItems }: Notice,
  { publicUrl, hasPortal }: LetterSource,
): ItemTable | null {
  if (items.length === 0) return null
  const more = moreItems + Math.max(0, items.length - MOST.items)
  return {
    title: event === 'Resolved' ? 'What fired' : 'What is firing',
    rows: items.slice(0, MOST.items).map(({ label, value, since, path }) => ({
      label: oneLine(label, MOST.name),
      value: oneLine(value ?? '', MOST.value),
      since: since === null ? '' : oneLine(timeWords(since), MOST.value),
      url: hasPortal && path?.startsWith('/') === true ? publicUrl + path : null,
    })),
    more: more > 0 ? `and ${more} more` : null,
  }
}

function summaryLetter(source: LetterSource, entries: readonly Entry[]): Letter {
  const times = source.notices.map(({ notice }) => notice.at).toSorted()
  const [first = '', last = ''] = [times[0], times.at(-1)]
  const latest = entries[0]?.latest
  if (!latest) throw new Error('A mail has at least one notice.')
  const more = entries.length - MOST.sections
  const span = `What happened from ${timeWords(first)} to ${timeWords(last)}, in one mail.`
  return {
    ...blank({ ...latest, title: summariseEntries(entries) }),
    tone: entries[0]?.state ?? 'Neutral',
    mark: 'Summary',
    paragraphs: [oneLine(span, MOST.text)],
    sections: entries.slice(0, MOST.sections).map((entry) => createSection(source, entry)),
    moreSections: more > 0 ? `and ${more} more` : null,
  }
}

function createSection(source: LetterSource, entry: Entry): Section {
  const { state, latest, isNew } = entry
  const names = itemWords(latest)
  return {
    tone: state,
    mark: state !== 'Firing' && isNew ? `${state} meanwhile` : chooseMark(entry),
    title: oneLine(latest.title, MOST.title),
    paragraphs: [oneLine(latest.text, MOST.text), ...(names === '' ? [] : [names])],
    link: createLink(latest, source),
  }
}

/** `pump-1 (92.4), pump-2 (91) and 3 more` */
function itemWords({ items, moreItems }: Notice): string {
  const shown = items.slice(0, MOST.itemsOfSection).map(({ label, value }) => {
    const name = oneLine(label, MOST.name)
    return value === null ? name : `${name} (${oneLine(value, MOST.value)})`
  })
  const more = moreItems + items.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Control characters, and characters that hide text or reverse its direction. Emoji and some scripts need the joiners. */
const NOT_ON_A_LINE = /(?:(?![\u200c\u200d])\p{C}|\p{Z})+/gu

/** The text on one line of at most `most` characters, because names that others choose stand in subjects and sentences. */
function oneLine(text: string, most: number): string {
  // Four times the limit is enough to look at, however long the text is.
  return shortenText(
    shortenText(text, most * 4)
      .replaceAll(NOT_ON_A_LINE, ' ')
      .trim(),
    most,
  )
}

/**
 * Breaks what mail programs would turn into links. The reader of a confirmation has not agreed to any mail yet, so the
 * names in it, which others choose, must not lead anywhere.
 */
function withoutLinks(text: string): string {
  return text.replaceAll('://', ': //').replaceAll(/(?<=\S)\.(?=[^\s\d.])/g, '. ')
}

/** `2026-08-22 09:30 UTC`: the time zone of the reader is not known. */
function timeWords(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
