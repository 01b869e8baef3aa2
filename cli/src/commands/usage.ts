import type { Command } from 'commander'
import type { AnswerOf } from '../../../api-client/src/index.ts'
import { shownTime } from '../instant.ts'
import { printJson } from '../print.ts'
import { type ConnectionOptions, connecting, openSession } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

type Quota = AnswerOf<'getWorkspaceUsage'>['quotas'][number]

export function addUsageCommand(program: Command): void {
  connecting(program.command('usage'))
    .description('What the workspace uses, and what it may use')
    .action(show)
}

const COLUMNS: readonly Column<Quota>[] = [
  { title: 'QUOTA', value: ({ name }) => name },
  { title: 'USED', value: ({ used }) => used },
  { title: 'LIMIT', value: ({ limit }) => limit ?? 'none' },
  { title: 'SHARE', value: shareOf, style: ({ isNear }) => (isNear ? 'yellow' : undefined) },
  { title: 'REFUSED', value: ({ refused }) => (refused === 0 ? '' : refused) },
  { title: 'UNTIL (UTC)', value: ({ resetsAt }) => (resetsAt === null ? '' : shownTime(resetsAt)) },
]

/** Marks what is nearly used up. */
function shareOf({ used, limit, isNear }: Quota): string {
  if (limit === null) return ''
  const percent = limit === 0 ? 100 : Math.floor((100 * used) / limit)
  return `${isNear ? '! ' : ''}${percent} %`
}

async function show(options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const usage = await client.get('/workspaces/{workspaceId}/usage', { params: { workspaceId } })
  if (options.json === true) printJson(usage)
  else writeTable(terminal().stdout, COLUMNS, usage.quotas)
}
