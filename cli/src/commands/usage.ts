import type { Command } from 'commander'
import type { QuotaUsage } from '../../../api-client/src/index.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addUsageCommand(program: Command): void {
  withListOptions(program.command('usage'))
    .description('What the workspace uses, and what it may use')
    .action(show)
}

const COLUMNS: readonly Column<QuotaUsage>[] = [
  { title: 'QUOTA', value: ({ name }) => name },
  { title: 'USED', value: ({ used }) => used },
  { title: 'LIMIT', value: ({ limit }) => limit ?? 'none' },
  { title: 'SHARE', value: formatShare, style: ({ isNear }) => (isNear ? 'yellow' : undefined) },
  { title: 'REFUSED', value: ({ refused }) => (refused === 0 ? '' : refused) },
  {
    title: 'UNTIL (UTC)',
    value: ({ resetsAt }) => (resetsAt === null ? '' : formatTime(resetsAt)),
  },
]

/** Marks what is nearly used up. */
function formatShare({ used, limit, isNear }: QuotaUsage): string {
  if (limit === null) return ''
  const percent = limit === 0 ? 100 : Math.floor((100 * used) / limit)
  return `${isNear ? '! ' : ''}${percent} %`
}

async function show(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const usage = await client.get('/workspaces/{workspaceId}/usage', { params: { workspaceId } })
  printListing(options, {
    rows: usage.quotas,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'quota',
    answer: (quotas) => ({ ...usage, quotas }),
  })
}
