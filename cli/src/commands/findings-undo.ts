import type { Command } from 'commander'
import type { DecisionBatch } from '../../../api-client/src/index.ts'
import { readAllPages } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { formatTime } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions as Listed,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { formatCount, note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const BATCHES = '/workspaces/{workspaceId}/decision-batches'

export function addFindingsUndo(findings: Command): void {
  withListOptions(findings.command('decisions'), 20)
    .description('List what you decided about findings, by command, newest first')
    .option('--all', 'also what others decided')
    .action(listDecisions)

  withConnection(findings.command('undo'))
    .description('Take back what you decided last, or what a command decided')
    .argument('[batch]', 'its id (plimsoll findings decisions)')
    .option('--dry-run', 'show what would change')
    .action(undo)
}

const COLUMNS: readonly Column<DecisionBatch>[] = [
  { title: 'TIME (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'BY', value: ({ createdByEmail }) => createdByEmail ?? '' },
  { title: 'DECIDED', value: ({ act, assessment }) => assessment ?? act },
  { title: 'FINDINGS', value: ({ findingCount }) => String(findingCount) },
  { title: 'CVES', value: describeCves },
  { title: 'TAKEN BACK (UTC)', value: ({ undoneAt }) => (undoneAt ? formatTime(undoneAt) : '') },
  { title: 'BATCH', value: ({ id }) => id, isWhole: true },
]

function describeCves({ cveIds, cveCount }: DecisionBatch): string {
  const more = cveCount - cveIds.length
  return `${cveIds.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

async function listDecisions(options: Listed & { all?: boolean }): Promise<void> {
  const limit = readLimit(options)
  const { rows, hasMore } = await readUpTo(
    limit,
    readBatches(await openSession(options), options.all === true, choosePageSize(limit)),
    ({ decisionBatches }) => decisionBatches,
  )
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'decision',
    total: { hasMore },
    answer: (decisionBatches) => ({ decisionBatches }),
  })
}

function readBatches({ client, workspaceId }: Session, isAll: boolean, pageSize: number) {
  return readAllPages((cursor) =>
    client.get(BATCHES, {
      params: { workspaceId },
      query: { limit: pageSize, ...(!isAll && { mine: 'true' }), ...cursor },
    }),
  )
}

async function undo(
  batch: string | undefined,
  options: ConnectionOptions & { dryRun?: boolean },
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const decisionBatchId = batch ?? (await findLast(session)).id
  const { dryRun = false } = options
  const answer = await client.post(`${BATCHES}/{decisionBatchId}/undo`, {
    params: { workspaceId, decisionBatchId },
    body: { dryRun },
  })
  if (options.json) {
    printJson(answer)
    return
  }
  const { restored, left, leftFindings, endedAtOnce = 0 } = answer
  const verb = dryRun ? 'would have' : restored === 1 ? 'has' : 'have'
  printLine(`${formatCount(restored, 'finding')} ${verb} again what was decided before`)
  if (endedAtOnce > 0)
    printLine(
      `${endedAtOnce} of them ${dryRun ? 'would end' : 'ended'} at once, as a condition of their acceptance is met by now`,
    )
  if (left === 0) return
  note(`${formatCount(left, 'finding')} left, decided since:`)
  for (const { cveId, firmwareVersionName, assessment, ignored } of leftFindings)
    note(
      sanitise(`  ${cveId} in ${firmwareVersionName}: ${assessment}${ignored ? ', ignored' : ''}`),
    )
}

const RECENT = 100

async function findLast(session: Session): Promise<DecisionBatch> {
  for await (const { decisionBatches } of readBatches(session, false, RECENT)) {
    const last = decisionBatches.find(({ undoneAt }) => undoneAt === null)
    if (last) return last
  }
  throw usageError('You have decided nothing that could be taken back.')
}
