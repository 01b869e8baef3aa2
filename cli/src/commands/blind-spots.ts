import type { Command } from 'commander'
import { BLIND_SPOT_KIND, readAllPages, type BlindSpot } from '../../../api-client/src/index.ts'
import { formatTime } from '../instant.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addBlindSpotCommands(program: Command): void {
  const blindSpots = program
    .command('blind-spots')
    .description('What devices run and nobody can judge')

  withListOptions(blindSpots.command('list'))
    .description(
      'List unknown versions and unexpected images that devices report, and how many devices run them',
    )
    .option(
      '--kind <kind>',
      `only of this kind; may be repeated: ${BLIND_SPOT_KIND.join(', ')}`,
      collectKinds,
    )
    .option('--text <text>', 'whose slug, version, build id or hash contains it')
    .action(listBlindSpots)
}

const formatName = ({ slug, version, buildId }: BlindSpot) =>
  slug === '' ? `build ${buildId ?? version}` : `${slug}@${version}`

type Kind = BlindSpot['kind']

const readKind = readOneOf(BLIND_SPOT_KIND)
const collectKinds = (value: string, before: Kind[] = []): Kind[] => [...before, readKind(value)]

const KIND_WORDS: Record<Kind, string> = {
  UnknownVersion: 'unknown version',
  UnknownImage: 'unknown image',
  OtherImage: 'image of another version',
  NotAHash: 'not a hash',
}

const formatWhat = ({ kind, imageOf }: BlindSpot) =>
  kind === 'OtherImage'
    ? `image of ${imageOf.map(({ name, firmware }) => `${firmware.slug}@${name}`).join(', ')}`
    : KIND_WORDS[kind]

const COLUMNS: readonly Column<BlindSpot>[] = [
  { title: 'RUNS', value: formatName },
  { title: 'WHAT', value: formatWhat },
  { title: 'IMAGE', value: ({ imageHash }) => imageHash },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'FIRMWARE', value: ({ firmware }) => firmware?.name ?? 'unknown' },
  { title: 'SINCE (UTC)', value: ({ firstReportedAt }) => formatTime(firstReportedAt) },
  { title: 'SEEN (UTC)', value: ({ lastSeenAt }) => formatTime(lastSeenAt) },
  { title: 'FOR EXAMPLE', value: ({ exampleDeviceId }) => exampleDeviceId },
]

interface BlindSpotOptions extends ListOptions {
  kind?: Kind[]
  text?: string
}

async function listBlindSpots(options: BlindSpotOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const limit = readLimit(options)
  const { kind: kinds, text } = options
  const filter = { ...(kinds && { kinds }), ...(text !== undefined && { text }) }
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/blind-spots/list', {
      params: { workspaceId },
      body: { filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  let count = 0
  let isLowerBound = false
  const { rows, hasMore } = await readUpTo(limit, pages, (page) => {
    count = page.totalCount
    isLowerBound = page.totalCountIsLowerBound
    return page.blindSpots
  })
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: formatName,
    noun: 'blind spot',
    total: { count, isLowerBound },
    answer: (blindSpots) => ({
      blindSpots,
      totalCount: count,
      totalCountIsLowerBound: isLowerBound,
      hasMore,
    }),
  })
}
