/** Drafts and submitted reports as texts, in the platform's order. */
import { formatInstant } from '../../../formats/instants.ts'
import type { DraftStage } from '../../../formats/law/report-fields.ts'
import type { DraftField } from './draft.ts'

const TITLES: Record<DraftStage, string> = {
  EarlyWarning: 'Early warning',
  Notification: 'Notification',
  FinalReport: 'Final report',
}

export interface RenderedDraft {
  stage: DraftStage
  title: string
  isDrill: boolean
  article: string
  fieldSet: string
  now: Date
  fields: readonly DraftField[]
}

interface NamedText {
  number: string
  label: string
  text: string
}

/** What is kept as the exact text of a report, where its fields are given. */
export function renderFields(fields: readonly NamedText[]): string {
  return fields
    .filter(({ text }) => text !== '')
    .map(({ number, label, text }) => `${number} ${label}\n${text}`)
    .join('\n\n')
}

interface IntermediateReport {
  title: string
  isDrill: boolean
  now: Date
  /** What the CSIRT asked. */
  request: { asked: string; askedAt: Date; dueAt: Date | null }
  fields: readonly NamedText[]
}

/** A text for an intermediate report: the CSIRT says what it wants, so it begins with that, and tells what is known of it now. */
export function renderIntermediate({ request, ...draft }: IntermediateReport): string {
  const due = request.dueAt === null ? '' : `, due ${formatInstant(request.dueAt)}`
  const told = draft.fields
    .filter(({ text }) => text !== '')
    .map(({ label, text }) => `${label}:\n${text}`)
  return [
    [
      `Intermediate report (Article 14(6)): ${draft.title}`,
      ...(draft.isDrill ? ['DRILL: not to be submitted.'] : []),
      `As asked on ${formatInstant(request.askedAt)}${due}:`,
      request.asked,
    ].join('\n'),
    `State of ${formatInstant(draft.now)}`,
    ...(told.length === 0 ? ['Nothing more is known yet.'] : told),
  ].join('\n\n')
}

const heading = (draft: RenderedDraft) =>
  [
    `${TITLES[draft.stage]} (Article ${draft.article}): ${draft.title}`,
    draft.isDrill ? 'DRILL: not to be submitted.' : undefined,
    `Draft of ${formatInstant(draft.now)}. Fields of the glossary ${draft.fieldSet}. Not submitted by this service.`,
  ].filter((line) => line !== undefined)

/** `12/255 characters`, what is wrong, and where a text comes from that nobody wrote. */
function describeState({
  characterCount,
  most,
  isTooLong,
  isMissing,
  wantedBy,
  ...field
}: DraftField) {
  if (isMissing) return wantedBy === 'Law' ? 'missing, wanted by law' : 'missing'
  const length = most === null ? [] : [`${characterCount}/${most} characters`]
  const proposed = field.origin === 'Proposed' ? [`proposed from: ${field.source}`] : []
  return [...length, ...(isTooLong ? ['too long'] : []), ...proposed].join(', ')
}

export function renderText(draft: RenderedDraft): string {
  const fields = draft.fields.map((field) => {
    const state = describeState(field)
    return `${field.number} ${field.label}${state === '' ? '' : ` [${state}]`}\n${field.text === '' ? '-' : field.text}`
  })
  return `${[heading(draft).join('\n'), ...fields].join('\n\n')}\n`
}

/** Texts stand in fences, so that nothing in them is read as Markdown or HTML. */
export function renderMarkdown(draft: RenderedDraft): string {
  const [title = '', ...lines] = heading(draft)
  const fields = draft.fields.map((field) => {
    const state = describeState(field)
    const name = `## ${field.number} ${field.label}${state === '' ? '' : ` (${escapeMarkdown(state)})`}`
    return field.text === '' ? name : `${name}\n\n${fence(field.text)}`
  })
  return `${[`# ${escapeMarkdown(title)}`, lines.join('\n\n'), ...fields].join('\n\n')}\n`
}

function fence(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}text\n${text}\n${marks}`
}

const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*_[\]<>#|&]/g, String.raw`\$&`)
