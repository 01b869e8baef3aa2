import type { Command } from 'commander'
import { allPages, type BlindSpot } from '../../../api-client/src/index.ts'
import { shownTime } from '../instant.ts'
import { limitOf, listing, type ListOptions, pageSize, printListing, readUpTo } from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addBlindSpotCommands(program: Command): void {
  const blindSpots = program
    .command('blind-spots')
    .description('What devices run and the workspace does not know')

  listing(blindSpots.command('list'))
    .description(
      'List reported versions without a firmware version here, and how many devices run them',
    )
    .action(list)
}

const nameOf = ({ slug, version, buildId }: BlindSpot) =>
  slug === '' ? `build ${buildId ?? version}` : `${slug}@${version}`

const COLUMNS: readonly Column<BlindSpot>[] = [
  { title: 'RUNS', value: nameOf },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'FIRMWARE', value: ({ firmware }) => firmware?.name ?? 'unknown' },
  { title: 'SINCE (UTC)', value: ({ firstReportedAt }) => shownTime(firstReportedAt) },
  { title: 'SEEN (UTC)', value: ({ lastSeenAt }) => shownTime(lastSeenAt) },
  { title: 'FOR EXAMPLE', value: ({ exampleDeviceId }) => exampleDeviceId },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const limit = limitOf(options)
  const pages = allPages((cursor) =>
    client.post('/workspaces/{workspaceId}/blind-spots/list', {
      params: { workspaceId },
      body: { limit: pageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ blindSpots }) => blindSpots)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf,
    noun: 'blind spot',
    total: { hasMore },
    answer: (blindSpots) => ({ blindSpots, hasMore }),
  })
}
