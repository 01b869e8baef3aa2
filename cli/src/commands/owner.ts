/** Whose findings are: rules that give them to members and teams, and what each has now. */
import type { Command } from 'commander'
import type { OwnerChange, OwnerCount, OwnerRule, Severity } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { renewOwnerFile } from '../owner-file.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { findMember } from './member.ts'

const RULES = '/workspaces/{workspaceId}/owner-rules'

export function addOwnerCommands(program: Command): void {
  const owner = program.command('owner').description('Whose the findings are, and by which rules')

  withListOptions(owner.command('list'))
    .description('List the owners, each with the number of active findings')
    .action(list)
  withListOptions(owner.command('rules'))
    .description('List the rules, the first one that fits counts; --json is what owner set takes')
    .action(listRules)
  withConnection(owner.command('set'))
    .description('Replace all teams and rules by those of a file; members are ids or addresses')
    .argument('<file>', 'JSON with teams and rules; - for stdin')
    .option('--skip-missing', 'leave out members and firmwares of the file that have gone')
    .option('--dry-run', 'say what would change, and change nothing')
    .action(set)
}

const nameOwner = (owner: OwnerCount['owner']) => owner?.name ?? 'nobody'

const countOf =
  (severity: Severity) =>
  ({ countsBySeverity }: OwnerCount) =>
    countsBySeverity.find((one) => one.severity === severity)?.count ?? 0

const COLUMNS: readonly Column<OwnerCount>[] = [
  { title: 'OWNER', value: ({ owner }) => nameOwner(owner) },
  { title: 'KIND', value: ({ owner }) => owner?.type ?? null },
  { title: 'ACTIVE', value: ({ activeCount }) => activeCount },
  { title: 'CRITICAL', value: countOf('Critical') },
  { title: 'HIGH', value: countOf('High') },
  { title: 'ID', value: ({ owner }) => owner?.id ?? null, isSpare: true },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { owners } = await client.get('/workspaces/{workspaceId}/owners', {
    params: { workspaceId },
  })
  printListing(options, {
    rows: owners,
    columns: COLUMNS,
    nameOf: ({ owner }) => nameOwner(owner),
    noun: 'owner',
    answer: (rows) => ({ owners: rows }),
  })
}

const RULE_COLUMNS: readonly Column<OwnerRule>[] = [
  { title: 'COMPONENTS', value: ({ components }) => components.join('  ') },
  { title: 'PACKAGE URLS', value: ({ purls }) => purls.join('  ') },
  { title: 'SBOM FILES', value: ({ files }) => files.join('  ') },
  {
    title: 'FIRMWARES',
    value: ({ firmwares }) => firmwares.map(({ id, name }) => name ?? id).join('  '),
  },
  { title: 'OWNER', value: ({ owner }) => owner.name },
  { title: 'GIVES NOTHING, AS', value: ({ vacancy }) => vacancy },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listRules(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(RULES, { params: { workspaceId } })
  printListing(options, {
    rows: found.rules,
    columns: RULE_COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'owner rule',
    answer: () => found,
  })
}

interface SetOptions extends ConnectionOptions {
  dryRun?: boolean
  skipMissing?: boolean
}

async function set(file: string, options: SetOptions): Promise<void> {
  const stated = await readJsonObject(file)
  const session = await openSession(options)
  const { client, workspaceId } = session
  const params = { workspaceId }
  const found = await client.get(RULES, { params })
  const resolved = (await resolveMembers(session, stated)) as typeof stated
  const skipsMissing = options.skipMissing === true
  const renewed = await renewOwnerFile(session, resolved, { found, skipsMissing })
  // The service checks the form, and says where it is wrong.
  const body = renewed as unknown as { teams: []; rules: [] }
  const preview = await client.post(`${RULES}/preview`, { params, body })
  const text = describeChanges(preview.owners)
  if (options.dryRun === true) {
    printDone(options, { answer: preview, text: `${text} Nothing was changed.` })
    return
  }
  const answer = await client.put(RULES, { params, body, ifStill: found })
  const rules = formatCount(answer.rules.length, 'rule')
  const teams = formatCount(answer.teams.length, 'team')
  printDone(options, { answer, text: `${rules} and ${teams} hold now. ${text}` })
}

/** "Active findings: ann@example.com 3 → 12, nobody 40 → 31." */
function describeChanges(owners: readonly OwnerChange[]): string {
  const changed = owners.filter(({ now, after }) => now !== after)
  if (changed.length === 0) return 'No active finding changes its owner.'
  const told = changed.map(({ owner, now, after }) => `${nameOwner(owner)} ${now} → ${after}`)
  return `Active findings: ${told.join(', ')}.`
}

/** People write addresses where the service wants ids. */
async function resolveMembers(session: Session, value: unknown, name?: string): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(value.map((each) => resolveMembers(session, each, name)))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(async ([key, each]) => [
      key,
      await resolveMembers(session, each, key),
    ])
    return Object.fromEntries((await Promise.all(entries)) as [string, unknown][])
  }
  const isMember = name === 'memberId' || name === 'memberIds'
  return isMember && typeof value === 'string' && value.includes('@')
    ? (await findMember(session, value)).id
    : value
}

/** Of `--owner`: an address becomes the id of its member. */
export async function readOwner(session: Session, text: string): Promise<string> {
  return text.includes('@') ? (await findMember(session, text)).id : text
}
