/** Accepted risks: lists them, renews, hands over and ends them. */
import { type Command, Option } from 'commander'
import {
  type AcceptedFinding,
  ACCEPTANCE_STATE,
  type AcceptanceState,
  type BodyOf,
  type BulkTriageOutcome,
  readAllPages,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { withWayToList } from '../not-found.ts'
import { formatTime, parseLaterInstant } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions as Listed,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { collect, readOneOf } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { type ConditionOptions, readConditions, readCount, readScore } from './findings-terms.ts'
import { findMember } from './member.ts'

const ACCEPTANCES = '/workspaces/{workspaceId}/acceptances'
const NOBODY = 'nobody'

interface FilterOptions {
  state?: AcceptanceState
  owner?: string
  cve?: string[]
  contains?: string
}

export function addAcceptanceCommands(program: Command): void {
  const acceptance = program
    .command('acceptance')
    .description('Accepted risks: findings that are ignored with a reason, an owner or an end')

  withFilter(withListOptions(acceptance.command('list')))
    .description('List them by their end, then those that ended')
    .action(listAcceptances)

  withSelection(acceptance.command('renew'))
    .description('Give them another end, or accept again what ended')
    .addOption(
      new Option('--until <time>', 'the new end: a time, or a length of time from now (90d)')
        .argParser((text) => parseLaterInstant(text))
        .makeOptionMandatory(),
    )
    .option('--reason <text>', 'a new reason (default: it stays)')
    .option('--to <member>', 'address or id of the member who looks after them (default: it stays)')
    .option(
      '--until-exploited',
      'they also end once exploited (conditions that are not named stay)',
    )
    .option('--no-until-exploited', 'they do not end then')
    .option('--until-epss <score>', 'they also end once the EPSS score is higher', readScore)
    .option('--no-until-epss', 'they do not end then')
    .option('--until-devices <count>', 'they also end once more devices run the version', readCount)
    .option('--no-until-devices', 'they do not end then')
    .option('--until-fixed', 'they also end once a record names a fixed version')
    .option('--no-until-fixed', 'they do not end then')
    .action(renew)

  withSelection(acceptance.command('hand-over'))
    .description('Give them to another member')
    .requiredOption('--to <member>', 'address or id of the member')
    .action(handOver)

  withSelection(acceptance.command('end'))
    .description('End them: their findings count again')
    .action(end)
}

function withFilter(command: Command): Command {
  return command
    .option('--state <word>', ACCEPTANCE_STATE.join(', '), readOneOf(ACCEPTANCE_STATE))
    .option('--owner <member>', `looked after by this member, or by ${NOBODY}`)
    .option('--cve <id>', 'of this vulnerability; may be repeated', collect)
    .option('--contains <text>', 'text in reason, vulnerability or component')
}

function withSelection(command: Command): Command {
  return withFilter(withConfirmation(withConnection(command)))
    .argument('[finding...]', 'ids of findings (default: those that the options select)')
    .option('--dry-run', 'count what would change, and change nothing')
}

async function readFilter(session: Session, { state, owner, cve, contains }: FilterOptions) {
  const member =
    owner === undefined || owner === NOBODY ? undefined : await findMember(session, owner)
  return {
    ...(state && { states: [state] }),
    ...(owner === NOBODY && { withoutOwner: true }),
    ...(member && { ownerIds: [member.id] }),
    ...(cve && { cveIds: cve }),
    ...(contains !== undefined && { contains }),
  }
}

const COLUMNS: readonly Column<AcceptedFinding>[] = [
  { title: 'UNTIL (UTC)', value: ({ acceptance }) => formatTime(acceptance?.until) ?? '' },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'CVE', value: ({ cveId }) => cveId, isWhole: true },
  {
    title: 'COMPONENT',
    value: ({ componentName, componentVersion }) => `${componentName} ${componentVersion ?? ''}`,
  },
  {
    title: 'VERSION',
    value: ({ firmwareVersion: { name, firmware } }) => `${firmware.name} ${name}`,
  },
  { title: 'DEVICES', value: ({ affectedDevices }) => String(affectedDevices) },
  { title: 'OWNER', value: ({ ownerEmail }) => ownerEmail ?? '' },
  { title: 'ENDS IF', value: describeConditions },
  { title: 'REASON', value: ({ acceptance }) => acceptance?.reason ?? '' },
  { title: 'FINDING', value: ({ findingId }) => findingId, isSpare: true },
]

function describeConditions({ acceptance }: AcceptedFinding): string {
  if (!acceptance) return ''
  if (acceptance.ended) return `ended: ${acceptance.ended.causes.join(', ')}`
  const { knownExploited, epssAbove, devicesAbove, fixAvailable } = acceptance.conditions
  return [
    knownExploited ? 'exploited' : '',
    epssAbove === null ? '' : `EPSS > ${epssAbove}`,
    devicesAbove === null ? '' : `devices > ${devicesAbove}`,
    fixAvailable ? 'fix' : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

async function listAcceptances(options: Listed & FilterOptions): Promise<void> {
  const limit = readLimit(options)
  const session = await openSession(options)
  const { client, workspaceId } = session
  const filter = await readFilter(session, options)
  const pages = readAllPages((cursor) =>
    client.post(`${ACCEPTANCES}/list`, {
      params: { workspaceId },
      body: { filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ acceptances }) => acceptances)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ findingId }) => findingId,
    noun: 'accepted risk',
    total: { hasMore },
    answer: (acceptances) => ({ acceptances, hasMore }),
  })
}

type ActOptions = ConnectionOptions & ConfirmOptions & FilterOptions & { dryRun?: boolean }
type Selection = BodyOf<'endAcceptances'>

interface Act {
  words: string
  send: (session: Session, selection: Selection) => Promise<BulkTriageOutcome>
}

const renew = (
  findingIds: string[],
  {
    until,
    reason,
    to,
    ...options
  }: ActOptions & ConditionOptions & { until: string; reason?: string; to?: string },
) =>
  change(findingIds, options, async (session) => {
    const member = to === undefined ? undefined : await findMember(session, to)
    const by = member ? `, looked after by ${member.name}` : ''
    const conditions = readConditions(options)
    return {
      words: `accepted until ${formatTime(until) ?? until}${by}`,
      send: ({ client, workspaceId }, selection) =>
        client.post(`${ACCEPTANCES}/renew`, {
          params: { workspaceId },
          body: {
            ...selection,
            until,
            ...(reason !== undefined && { reason }),
            ...(member && { ownerId: member.id }),
            ...(conditions && { conditions }),
          },
        }),
    }
  })

const handOver = (findingIds: string[], { to, ...options }: ActOptions & { to: string }) =>
  change(findingIds, options, async (session) => {
    const { id: ownerId, name } = await findMember(session, to)
    return {
      words: `looked after by ${name}`,
      send: ({ client, workspaceId }, selection) =>
        client.post(`${ACCEPTANCES}/hand-over`, {
          params: { workspaceId },
          body: { ...selection, ownerId },
        }),
    }
  })

const end = (findingIds: string[], options: ActOptions) =>
  change(findingIds, options, () => ({
    words: 'no longer accepted',
    send: ({ client, workspaceId }, selection) =>
      client.post(`${ACCEPTANCES}/end`, { params: { workspaceId }, body: selection }),
  }))

/** Where a finding that was named is none: the command that shows what there is. */
function tellUnknown(error: unknown): never {
  const { message } = error as Error
  if (!message.includes('name no finding')) throw error
  throw usageError(withWayToList(message.split('\n')[0] ?? message, 'accepted risk'))
}

const describeEnded = ({ endedAtOnce = 0 }: BulkTriageOutcome): string =>
  endedAtOnce === 0 ? '' : `; ${endedAtOnce} of them not, as a condition is met already`

/** Asks with true counts, and changes only if these still hold. */
async function change(
  findingIds: readonly string[],
  options: ActOptions,
  prepare: (session: Session) => Act | Promise<Act>,
): Promise<void> {
  const session = await openSession(options)
  const filter = await readFilter(session, options)
  const isFiltered = Object.keys(filter).length > 0
  if (isFiltered === findingIds.length > 0)
    throw usageError('Name findings, or select them by --state, --owner, --cve or --contains.')
  const { words, send } = await prepare(session)
  const selection = isFiltered ? { filter } : { findingIds: [...findingIds] }
  const preview = await send(session, { ...selection, dryRun: true }).catch(tellUnknown)
  const many = formatCount(preview.changed, 'finding')
  const over = describeEnded(preview)
  if (options.dryRun === true || preview.changed === 0) {
    printDone(options, {
      answer: preview,
      text: `${many} of ${preview.matched} would be ${words}${over}`,
    })
    return
  }
  await confirm(`${many} will be ${words}${over}. Go on?`, options)
  const answer = await send(session, { ...selection, expectedMatched: preview.matched })
  const { changed, decisionBatchId } = answer
  const text = `${formatCount(changed, 'finding')} ${changed === 1 ? 'is' : 'are'} ${words}${describeEnded(answer)}`
  printDone(options, {
    answer,
    ...(decisionBatchId !== undefined && { id: decisionBatchId }),
    text:
      decisionBatchId === undefined
        ? text
        : `${text}\nTake it back with: plimsoll findings undo ${decisionBatchId}`,
  })
}
