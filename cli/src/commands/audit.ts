import { type Command, Option } from 'commander'
import {
  ACTOR_TYPE,
  AUDIT_KIND,
  type AuditLogEntry,
  type AuditSeal,
  readAllPages,
} from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { formatTime, parseInstant } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions as Listed,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { readListOf } from '../option-values.ts'
import { formatCount, note as tellNote, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Who changed what in the workspace')

  withFilter(withListOptions(audit.command('list')))
    .description('List what was done, newest first')
    .action(listAuditLog)
  withFilter(withConnection(audit.command('counts')))
    .description('Count what was done, by kind and by who did it')
    .action(countAuditLog)
  withConnection(audit.command('show'))
    .description('Show an entry, with what was before and after')
    .argument('<entry>', 'its id (plimsoll audit list)')
    .action(showEntry)
  withListOptions(audit.command('seals'))
    .description('List the seals of the audit log, newest first: one for each day')
    .option('--from <day>', 'the first day (UTC), such as 2026-11-01')
    .option('--to <day>', 'the last day')
    .action(listSeals)
}

function withFilter(command: Command): Command {
  return command
    .option(
      '--about <subject>',
      'about this, or done by it: a type and an id, as in vulnerability:CVE-2026-31431 or device:pump-1',
    )
    .option('--kind <list>', `of these kinds: ${AUDIT_KIND.join(', ')}`, readListOf(AUDIT_KIND))
    .addOption(new Option('--by-type <type>', 'by this kind of actor').choices(ACTOR_TYPE))
    .option('--by <actor>', 'by whom: the address or the id of a member, or the id of a key')
    .option('--contains <text>', 'with this text, in any case')
    .option('--from <time>', 'from this time on, or so long ago', (text: string) =>
      parseInstant(text),
    )
    .option('--to <time>', 'before this time', (text: string) => parseInstant(text))
}

interface Filter {
  about?: string
  kind?: (typeof AUDIT_KIND)[number][]
  by?: string
  byType?: (typeof ACTOR_TYPE)[number]
  contains?: string
  from?: string
  to?: string
}

const COLUMNS: readonly Column<AuditLogEntry>[] = [
  { title: 'TIME (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'KIND', value: ({ kind }) => kind ?? 'unknown' },
  { title: 'WHAT', value: ({ summary }) => summary, isWhole: true },
  { title: 'NOTE', value: ({ note }) => note },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function readFilter({ about: subject, by: actor, byType: actorType, ...rest }: Filter) {
  const { kind, contains, from, to } = rest
  const asked = { subject, actor, actorType, kinds: kind?.join(','), contains, from, to }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

async function countAuditLog(options: ConnectionOptions & Filter): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.get('/workspaces/{workspaceId}/audit-log/counts', {
    params: { workspaceId },
    query: readFilter(options),
  })
  if (options.json) {
    printJson(answer)
    return
  }
  const { count, peopleCount, apiKeyCount, kinds, actors } = answer
  printLine(
    `${count} ${count === 1 ? 'entry' : 'entries'}, by ${formatCount(peopleCount, 'person', 'people')} and ${formatCount(apiKeyCount, 'key')}`,
  )
  for (const one of kinds) printLine(`${one.count}\t${one.kind ?? 'unknown'}`)
  for (const { actorType, actorEmail, actorId, name, count: acts } of actors)
    printLine(sanitise(`${acts}\t${name ?? actorEmail ?? actorId ?? actorType} (${actorType})`))
}

async function showEntry(auditEntryId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.get('/workspaces/{workspaceId}/audit-log/{auditEntryId}', {
    params: { workspaceId, auditEntryId },
  })
  const { createdAt, summary, note, before, after } = answer
  const text = [
    `${formatTime(createdAt)}  ${summary}`,
    ...(note === null ? [] : [note]),
    `before: ${JSON.stringify(before)}`,
    `after: ${JSON.stringify(after)}`,
  ]
  printDone(options, { answer, text: text.join('\n') })
}

async function listAuditLog(options: Listed & Filter): Promise<void> {
  const limit = readLimit(options)
  const { client, workspaceId } = await openSession(options)
  const filter = readFilter(options)
  const pages = readAllPages((cursor) =>
    client.get('/workspaces/{workspaceId}/audit-log', {
      params: { workspaceId },
      query: { ...filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ entries }) => entries)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'entry',
    nouns: 'entries',
    total: { hasMore },
    answer: (entries) => ({ entries, hasMore }),
  })
}

interface SealOptions extends Listed {
  from?: string
  to?: string
}

const SEAL_COLUMNS: readonly Column<AuditSeal>[] = [
  { title: 'DAY (UTC)', value: ({ day }) => day },
  { title: 'ENTRIES', value: ({ entryCount }) => entryCount },
  { title: 'LATE', value: ({ lateCount }) => lateCount },
  { title: 'SEAL', value: ({ seal }) => seal, isWhole: true },
]

async function listSeals({ from, to, ...options }: SealOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const found = await client.get('/workspaces/{workspaceId}/audit-log/seals', {
    params: { workspaceId },
    query: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
  })
  printListing(options, {
    rows: found.seals,
    columns: SEAL_COLUMNS,
    nameOf: ({ day, seal }) => `${day} ${seal}`,
    noun: 'seal',
    answer: (seals) => ({ ...found, seals }),
  })
  if (found.unsealedCount > 0)
    tellNote(
      `${formatCount(found.unsealedCount, 'entry', 'entries')} of before the log was sealed have no seal.`,
    )
}
