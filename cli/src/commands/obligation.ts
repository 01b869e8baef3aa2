/** The map of the law: what Plimsoll does for each point here, and what the team wrote about what stays with people. */
import type { Command } from 'commander'
import { type Obligation, OBLIGATION_ID } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { type Fact, printFacts } from '../facts.ts'
import { usageError } from '../failure.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const OBLIGATIONS = '/workspaces/{workspaceId}/obligations'
const NOTE = `${OBLIGATIONS}/{obligationId}/note` as const

type Id = (typeof OBLIGATION_ID)[number]

export function addObligationCommands(program: Command): void {
  const obligation = program
    .command('obligation')
    .description('Points of the law: what Plimsoll does for them here, and what stays with people')

  withListOptions(obligation.command('list'))
    .description('List the points with their articles, and what is written about each')
    .action(list)
  named(obligation.command('show'))
    .description('Show the state of a point in this workspace, and what stays with people')
    .action(show)
  named(obligation.command('note'))
    .description(
      'Write who answers for what stays with people, by when, and where it is kept; "" clears',
    )
    .option('--responsible <name>', 'who answers for it')
    .option('--due <day>', 'by when it is done or looked at again: 2027-03-01')
    .option('--text <text>', 'how it is met outside of Plimsoll')
    .option('--link <address>', 'where that is kept')
    .action(writeNote)
}

const named = (command: Command) =>
  withConnection(command.argument('<point>', OBLIGATION_ID.join(', '), readOneOf(OBLIGATION_ID)))

const BASIS_WORDS = { Law: 'law', GoodPractice: 'good practice' } as const

const COLUMNS: readonly Column<Obligation>[] = [
  { title: 'POINT', value: ({ id }) => id, isWhole: true },
  { title: 'BASIS', value: ({ basis }) => BASIS_WORDS[basis] },
  { title: 'ARTICLE', value: ({ article }) => article },
  { title: 'ABOUT', value: ({ topic }) => topic },
  { title: 'RESPONSIBLE', value: ({ note }) => note.responsible ?? 'nobody named' },
  { title: 'DUE', value: ({ note }) => note.dueOn ?? '' },
]

const readObligations = ({ client, workspaceId }: Session) =>
  client.get(OBLIGATIONS, { params: { workspaceId } })

async function list(options: ListOptions): Promise<void> {
  const found = await readObligations(await openSession(options))
  printListing(options, {
    rows: found.obligations,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'point',
    answer: (obligations) => ({ ...found, obligations }),
  })
}

async function show(id: Id, options: ConnectionOptions): Promise<void> {
  const { obligations } = await readObligations(await openSession(options))
  const found = obligations.find((one) => one.id === id)
  if (!found) throw new Error(`The service knows no point ${id}.`)
  if (options.json) {
    printJson(found)
    return
  }
  const { basis, article, topic, features, people, facts, note } = found
  const said: Fact[] = [
    [BASIS_WORDS[basis], article],
    ['about', topic],
    ['Plimsoll has', features.join(', ') || 'nothing for it'],
    ['stays with people', people],
    ['responsible', note.responsible ?? 'nobody named'],
    ['due', note.dueOn],
    ['note', note.text],
    ['link', note.link],
  ]
  printFacts(said)
  printLine('Here:')
  for (const { text } of facts) printLine(`  ${sanitise(text)}`)
}

interface NoteOptions extends ConnectionOptions {
  responsible?: string
  due?: string
  text?: string
  link?: string
}

async function writeNote(obligationId: Id, options: NoteOptions): Promise<void> {
  const { responsible, due, text, link } = options
  const body = {
    ...(responsible !== undefined && { responsible: readText(responsible) }),
    ...(due !== undefined && { dueOn: readText(due) }),
    ...(text !== undefined && { text: readText(text) }),
    ...(link !== undefined && { link: readText(link) }),
  }
  if (Object.keys(body).length === 0)
    throw usageError('Nothing to write: say --responsible, --due, --text or --link.')
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, obligationId }
  const found = await client.get(NOTE, { params })
  const answer = await client.patch(NOTE, { params, body, ifStill: found })
  printDone(options, { answer, id: answer.id, text: `${obligationId}: written` })
}

const readText = (text: string) => (text.trim() === '' ? null : text)
