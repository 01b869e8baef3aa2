import { type Command, Option } from 'commander'
import { type AuditLogEntry, readAllPages } from '../../../api-client/src/index.ts'
import { formatTime, parseInstant } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions as Listed,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

const AUDIT_KINDS = [
  'Decision',
  'Discussion',
  'Firmware',
  'Device',
  'Deployment',
  'Alert',
  'Member',
  'SignIn',
  'Key',
  'Source',
  'Workspace',
  'Refusal',
] as const satisfies readonly NonNullable<AuditLogEntry['kind']>[]

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Who changed what in the workspace')

  withListOptions(audit.command('list'))
    .description('List what was done, newest first')
    .option(
      '--about <subject>',
      'about this, or done by it: a type and an id, as in vulnerability:CVE-2026-31431 or device:pump-1',
    )
    .addOption(new Option('--kind <kind>', 'of this kind').choices(AUDIT_KINDS))
    .option('--by <actor>', 'by whom: the address or the id of a member, or the id of a key')
    .option('--contains <text>', 'with this text, in any case')
    .option('--from <time>', 'from this time on, or so long ago', (text: string) =>
      parseInstant(text),
    )
    .option('--to <time>', 'before this time', (text: string) => parseInstant(text))
    .action(listAuditLog)
}

interface ListOptions extends Listed {
  about?: string
  kind?: (typeof AUDIT_KINDS)[number]
  by?: string
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

async function listAuditLog(options: ListOptions): Promise<void> {
  const { about: subject, by: actor, kind, contains, from, to } = options
  const limit = readLimit(options)
  const { client, workspaceId } = await openSession(options)
  const asked = { subject, actor, kind, contains, from, to }
  const filter = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  )
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
