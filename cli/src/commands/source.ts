import type { Command } from 'commander'
import { FEED_SOURCE, type VulnerabilitySources } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { note } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import type { Column } from '../table.ts'

type Source = VulnerabilitySources['sources'][number]

const PATH = '/workspaces/{workspaceId}/vulnerability-sources'

export function addSourceCommands(program: Command): void {
  const source = program.command('source').description('Sources of vulnerabilities')

  withListOptions(source.command('list'))
    .description('List the sources, how old they are and what they do now')
    .action(listSources)
  withConnection(source.command('sync'))
    .description('Ask for the newest records of a source')
    .argument('<source>', FEED_SOURCE.join(', '), readOneOf(FEED_SOURCE))
    .action(sync)
}

const STATE_WORDS: Record<Source['state'], string> = {
  Current: 'current',
  Stale: 'stale',
  NeverRead: 'never read',
  Off: 'off',
}

const STATE_STYLES = { Current: 'green', Stale: 'red', NeverRead: 'red', Off: 'dim' } as const

const COLUMNS: readonly Column<Source>[] = [
  { title: 'SOURCE', value: ({ source }) => source },
  {
    title: 'STATE',
    value: ({ state, phase }) => STATE_WORDS[state] + doing(phase),
    style: ({ state }) => STATE_STYLES[state],
  },
  { title: 'RECORDS', value: ({ recordCount }) => recordCount },
  { title: 'COMPLETE (UTC)', value: ({ lastSuccessAt }) => formatTime(lastSuccessAt) ?? 'never' },
  { title: 'PUBLISHED (UTC)', value: ({ snapshotAt }) => formatTime(snapshotAt) },
  { title: 'NEXT (UTC)', value: ({ nextSyncAt }) => formatTime(nextSyncAt) },
  { title: 'ERROR', value: ({ lastError }) => lastError, style: () => 'red' },
]

function doing(phase: Source['phase']): string {
  return phase === 'Idle' ? '' : `, ${phase.toLowerCase()}`
}

async function listSources(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.get(PATH, { params: { workspaceId } })
  printListing(options, {
    rows: answer.sources,
    columns: COLUMNS,
    nameOf: ({ source }) => source,
    noun: 'source',
    answer: (sources) => ({ ...answer, sources }),
  })
  if (options.json || options.csv) return
  for (const { source, notice } of answer.sources)
    if (notice !== null) note(sanitise(`${source}: ${notice}`))
}

async function sync(source: Source['source'], options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(`${PATH}/{source}/sync`, { params: { workspaceId, source } })
  const text = `${source}: asked for; source list shows how far it is`
  printDone(options, { answer, text })
}
