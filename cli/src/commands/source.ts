import type { Command } from 'commander'
import type { VulnerabilitySources } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { shownTime } from '../instant.ts'
import { listing, type ListOptions, printListing } from '../listing.ts'
import { oneOf } from '../option-values.ts'
import { note } from '../print.ts'
import { printable } from '../printable.ts'
import { type ConnectionOptions, connecting, openSession } from '../session.ts'
import type { Column } from '../table.ts'

type Source = VulnerabilitySources['sources'][number]

const SOURCES = [
  'cvelist',
  'nvd',
  'osv',
  'csaf',
  'kev',
  'epss',
  'euvd',
] as const satisfies readonly Source['source'][]

const PATH = '/workspaces/{workspaceId}/vulnerability-sources'

export function addSourceCommands(program: Command): void {
  const source = program.command('source').description('Sources of vulnerabilities')

  listing(source.command('list'))
    .description('List the sources, how old they are and what they do now')
    .action(list)
  connecting(source.command('sync'))
    .description('Ask for the newest records of a source')
    .argument('<source>', SOURCES.join(', '), oneOf(SOURCES))
    .action(sync)
}

const COLUMNS: readonly Column<Source>[] = [
  { title: 'SOURCE', value: ({ source }) => source },
  {
    title: 'STATE',
    value: ({ isStale, phase }) => [isStale ? 'stale' : 'current', doing(phase)].join(''),
    style: ({ isStale }) => (isStale ? 'red' : 'green'),
  },
  { title: 'RECORDS', value: ({ recordCount }) => recordCount },
  { title: 'COMPLETE (UTC)', value: ({ lastSuccessAt }) => shownTime(lastSuccessAt) ?? 'never' },
  { title: 'PUBLISHED (UTC)', value: ({ snapshotAt }) => shownTime(snapshotAt) },
  { title: 'NEXT (UTC)', value: ({ nextSyncAt }) => shownTime(nextSyncAt) },
  { title: 'ERROR', value: ({ lastError }) => lastError, style: () => 'red' },
]

function doing(phase: Source['phase']): string {
  return phase === 'Idle' ? '' : `, ${phase.toLowerCase()}`
}

async function list(options: ListOptions): Promise<void> {
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
    if (notice !== null) note(printable(`${source}: ${notice}`))
}

async function sync(source: Source['source'], options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(`${PATH}/{source}/sync`, { params: { workspaceId, source } })
  const text = `${source}: asked for; source list shows how far it is`
  printDone(options, { answer, text })
}
