/** Drafts of reports, field by field, and what was submitted. */
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import {
  type CaseDraft,
  DRAFT_STAGE,
  type DraftField,
  REPORT_STAGE,
} from '../../../api-client/src/index.ts'
import { CASE, openCase, withCase } from '../case-named.ts'
import { printDone } from '../done.ts'
import { download } from '../download.ts'
import { explainFileFault } from '../file-faults.ts'
import { usageError } from '../failure.ts'
import { parseInstant } from '../instant.ts'
import { readOneOf } from '../option-values.ts'
import { formatCount, note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import type { ConnectionOptions } from '../session.ts'
import { getTerminal } from '../terminal.ts'
import { printCase } from './case-acts.ts'

type Stage = (typeof DRAFT_STAGE)[number]

export function addCaseDrafts(command: Command): void {
  withCase(command.command('draft'))
    .description('Print the draft of a report, field by field in the order of the platform')
    .argument('<stage>', 'early-warning, notification or final-report', readOneOf(DRAFT_STAGE))
    .addOption(
      new Option('--format <format>', 'how to print it')
        .choices(['text', 'markdown'])
        .default('text'),
    )
    .option('--field <key>', 'only the text of this field, to copy')
    .option('--missing', 'only list the fields that are wanted and empty')
    .action(showDraft)
  withCase(command.command('draft-intermediate'))
    .description('Print a text for an intermediate report that the CSIRT asked for')
    .argument('<request>', 'the id of what it asked, as case show --facts lists it')
    .action(showIntermediate)
  withCase(command.command('write'))
    .description('Write a field of a draft over what is proposed')
    .argument('<stage>', 'early-warning, notification or final-report', readOneOf(DRAFT_STAGE))
    .argument('<field>', 'its key, as case draft --json names it, or its number')
    .argument('[text]', 'what it says; "" for nothing on purpose')
    .option('--file <file>', 'the text from a file; - for stdin')
    .option('--propose', 'take back what was written: the proposed text holds again')
    .action(write)
  withCase(command.command('submit'))
    .description('Record a report as it was submitted to the platform; nothing is sent')
    .argument(
      '<stage>',
      'early-warning, notification, intermediate-report or final-report',
      readOneOf(REPORT_STAGE),
    )
    .option('--at <time>', 'when: a time, or a duration ago (default: now)', (text: string) =>
      parseInstant(text),
    )
    .option('--reference <text>', 'what the platform calls it')
    .option('--file <file>', 'the exact text, where it is not the draft; - for stdin')
    .option('--request <id>', 'of an intermediate report: what the CSIRT asked')
    .action(submit)
}

const DRAFT = `${CASE}/drafts/{stage}` as const
const INTERMEDIATE = `${CASE}/report-requests/{requestId}/draft` as const

interface DraftOptions extends ConnectionOptions {
  format: 'text' | 'markdown'
  field?: string
  missing?: boolean
}

async function showDraft(text: string, stage: Stage, options: DraftOptions): Promise<void> {
  const { session, client, params: of } = await openCase(text, options)
  const params = { ...of, stage }
  const draft = await client.get(DRAFT, { params })
  if (options.missing === true) return printMissing(draft, options)
  if (options.field !== undefined) {
    const field = findField(draft, options.field)
    return options.json ? printJson(field) : printLine(sanitiseLines(field.text))
  }
  if (options.json) return printJson(draft)
  const path = `/cases/${of.caseId}/drafts/${stage}/export?format=${options.format}`
  await download(session, path, undefined)
  noteFaults(draft)
}

async function showIntermediate(
  name: string,
  requestId: string,
  options: ConnectionOptions,
): Promise<void> {
  const { client, params } = await openCase(name, options)
  const draft = await client.get(INTERMEDIATE, { params: { ...params, requestId } })
  if (options.json) return printJson(draft)
  printLine(sanitiseLines(draft.text))
}

/** What people wrote may hold what a terminal would act on. */
const sanitiseLines = (text: string) => text.split('\n').map(sanitise).join('\n')

const nameField = ({ number, label }: DraftField) => `${number} ${label}`

function printMissing(draft: CaseDraft, options: ConnectionOptions): void {
  const missing = draft.fields.filter(({ isMissing }) => isMissing)
  if (options.json) return printJson(missing)
  for (const field of missing)
    printLine(sanitise(options.quiet ? field.key : `${nameField(field)} (${field.key})`))
  if (missing.length === 0 && !options.quiet) printLine('Nothing is missing.')
}

function noteFaults({ fields }: CaseDraft): void {
  const missing = fields.filter(({ isMissing }) => isMissing).map(nameField)
  const tooLong = fields.filter(({ isTooLong }) => isTooLong).map(nameField)
  if (missing.length > 0)
    note(
      `${formatCount(missing.length, 'field')} missing, which blocks nothing: ${missing.join(', ')}.`,
    )
  if (tooLong.length > 0) note(`Too long for the platform: ${tooLong.join(', ')}.`)
}

function findField({ fields, stage }: CaseDraft, text: string): DraftField {
  const found = fields.find(({ key, number }) => key === text || number === text)
  if (!found)
    throw usageError(
      `The ${stage} has no field ${JSON.stringify(text)}. It has: ${fields.map(({ key }) => key).join(', ')}.`,
    )
  return found
}

async function readText(file: string): Promise<string> {
  return (file === '-' ? readAll(getTerminal().stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw usageError(`Cannot read ${file}: ${explainFileFault(error)}.`)
    },
  )
}

interface WriteOptions extends ConnectionOptions {
  file?: string
  propose?: boolean
}

interface Written {
  stage: Stage
  field: string
  text: string | undefined
}

function write(
  name: string,
  stage: Stage,
  field: string,
  ...[text, options]: [text: string | undefined, options: WriteOptions]
): Promise<void> {
  return writeField(name, { stage, field, text }, options)
}

async function writeField(
  name: string,
  { stage, field: key, text: given }: Written,
  options: WriteOptions,
): Promise<void> {
  const ways = [given !== undefined, options.file !== undefined, options.propose === true]
  if (ways.filter(Boolean).length !== 1) throw usageError('Give a text, a --file, or --propose.')
  const text = options.file === undefined ? (given ?? null) : await readText(options.file)
  const { client, params: of } = await openCase(name, options)
  const params = { ...of, stage }
  const before = findField(await client.get(DRAFT, { params }), key)
  const body = { key: before.key, text, insteadOf: before.written?.factId ?? null }
  const answer = await client.post(`${DRAFT}/fields`, { params, body })
  const field = findField(answer, before.key)
  const length = field.most === null ? '' : `, ${field.characterCount} of ${field.most} characters`
  const state = field.isTooLong ? ': too long for the platform' : ''
  const done = text === null ? 'as proposed again' : 'written'
  printDone(options, { answer, text: `${nameField(field)}: ${done}${length}${state}` })
}

interface SubmitOptions extends ConnectionOptions {
  at?: string
  reference?: string
  file?: string
  request?: string
}

async function submit(
  name: string,
  stage: (typeof REPORT_STAGE)[number],
  options: SubmitOptions,
): Promise<void> {
  const { at = new Date().toISOString(), reference, file, request } = options
  const { client, params } = await openCase(name, options)
  const content = file === undefined ? undefined : { text: await readText(file) }
  const body = {
    stage,
    submittedAt: at,
    ...(reference !== undefined && { reference }),
    ...(request !== undefined && { requestId: request }),
    ...(content ?? (await readDraft())),
  }
  const answer = await client.post(`${CASE}/reports`, { params, body })
  printCase(options, `the ${stage} is recorded`, answer)

  /** The draft as it is now: what people copied from it. */
  async function readDraft() {
    if (stage === 'IntermediateReport')
      throw usageError(
        'Give the text with --file: case draft-intermediate prints one to begin with.',
      )
    const draft = await client.get(DRAFT, { params: { ...params, stage } })
    noteFaults(draft)
    const fields = draft.fields.filter(({ text }) => text !== '')
    return { fields: fields.map(({ key, text }) => ({ key, text })), fieldSet: draft.fieldSet }
  }
}
