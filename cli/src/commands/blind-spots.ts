import type { Command } from 'commander'
import { readAllPages, type BlindSpot } from '../../../api-client/src/index.ts'
import { formatTime } from '../instant.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addBlindSpotCommands(program: Command): void {
  const blindSpots = program
    .command('blind-spots')
    .description('What devices run and the workspace does not know')

  withListOptions(blindSpots.command('list'))
    .description(
      'List reported versions without a firmware version here, and how many devices run them',
    )
    .action(listBlindSpots)
}

const formatName = ({ slug, version, buildId }: BlindSpot) =>
  slug === '' ? `build ${buildId ?? version}` : `${slug}@${version}`

const COLUMNS: readonly Column<BlindSpot>[] = [
  { title: 'RUNS', value: formatName },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'FIRMWARE', value: ({ firmware }) => firmware?.name ?? 'unknown' },
  { title: 'SINCE (UTC)', value: ({ firstReportedAt }) => formatTime(firstReportedAt) },
  { title: 'SEEN (UTC)', value: ({ lastSeenAt }) => formatTime(lastSeenAt) },
  { title: 'FOR EXAMPLE', value: ({ exampleDeviceId }) => exampleDeviceId },
]

async function listBlindSpots(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const limit = readLimit(options)
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/blind-spots/list', {
      params: { workspaceId },
      body: { limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ blindSpots }) => blindSpots)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: formatName,
    noun: 'blind spot',
    total: { hasMore },
    answer: (blindSpots) => ({ blindSpots, hasMore }),
  })
}
