/** The operator's commands on vulnerability sources. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import {
  checkBundle,
  importFeeds,
  type SourceImport,
  writeBundle,
} from '../features/advisories/index.ts'
import { FEED_SOURCES } from '../config/feed-settings.ts'
import { getSources, STATE_WORDS, type SyncOutcome, syncSource } from '../features/feeds/index.ts'
import { findEcosystemName } from '../formats/ecosystems.ts'
import type { FeedSource } from '../formats/feed-kinds.ts'
import type { AppContext } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { setKeepsSources } from '../features/workspaces/index.ts'
import { requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

type Means = Pick<CommandMeans, 'withContext' | 'print'>

const NAMES = FEED_SOURCES.join(', ')
const say = (text: string) => void process.stderr.write(`${text}\n`)

export function addFeedCommands(program: Command, means: CommandMeans): void {
  const feeds = program.command('feeds').description('Vulnerability sources')
  importCommand(feeds, means)
  statusCommand(feeds, means)
  syncCommand(feeds, means)
  bundleCommand(feeds, means)
  keeperCommand(feeds, means)
}

function sourceNamed(name: string, from: string): FeedSource {
  const known = FEED_SOURCES.find((source) => source === name)
  if (!known) throw invalid(`${from}${name} is not a source. The sources are: ${NAMES}.`)
  return known
}

function ecosystemIn(text: string): string[] {
  const name = text.trim()
  if (name === '') return []
  const known = findEcosystemName(name)
  if (known === undefined)
    throw invalid(`--complete: ${name} is not an ecosystem of OSV, such as npm, Maven or Debian.`)
  return [known]
}

interface Import {
  source?: string
  complete?: string
  sha256?: string
  json?: boolean
}

function importCommand(feeds: Command, { withContext, print }: Means): void {
  feeds
    .command('import')
    .description(
      'Import advisories from a file or folder: OSV, NVD, CVE List, CSAF, KEV, EPSS as downloaded, or a bundle',
    )
    .argument('<path>', 'a file or a folder')
    .option('--source <source>', `read all files as files of this source: ${NAMES}`)
    .option(
      '--complete <ecosystems>',
      'the files hold all records of these, such as npm,Debian (OSV’s npm/all.zip says so itself)',
    )
    .option('--sha256 <checksum>', 'refuse a bundle with another SHA-256')
    .option('--json', 'answer as JSON')
    .action(async (path: string, options: Import) => {
      if (options.sha256 !== undefined) await checkBundle(path, options.sha256)
      const source =
        options.source === undefined ? undefined : sourceNamed(options.source, '--source: ')
      const complete = (options.complete ?? '').split(',').flatMap(ecosystemIn)
      const input = { path, onProgress: say, complete, ...(source && { source }) }
      const sources = await withContext((ctx) => importFeeds(ctx, input))
      if (options.json === true) print(true, { sources })
      else for (const imported of sources) process.stdout.write(summariseImport(imported))
      if (sources.some(({ error }) => error !== undefined)) process.exitCode = 1
    })
}

function summariseImport(imported: SourceImport): string {
  const {
    source,
    added,
    changed,
    unchanged,
    withdrawn,
    skipped,
    skippedReasons,
    skippedRecords,
    error,
    notice,
  } = imported
  if (error !== undefined) return `${source}: nothing was imported: ${error}\n`
  const counts = { added, changed, unchanged, withdrawn, skipped }
  const line = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
  const reasons = Object.entries(skippedReasons).map(
    ([reason, count]) => `  ${count} skipped: ${reason}\n`,
  )
  const records = skippedRecords.map(({ file, record, line: inLine, id, reason }) => {
    const place = inLine === undefined ? `record ${record}` : `line ${inLine}`
    return `    ${file}, ${place}${id === null ? '' : ` (${id})`}: ${reason}\n`
  })
  const unnamed = skipped - skippedRecords.length
  if (records.length > 0 && unnamed > 0) records.push(`    and ${unnamed} more\n`)
  const noticed = notice === undefined ? '' : `  note: ${notice}\n`
  return `${source}: ${line}\n${reasons.join('')}${records.join('')}${noticed}`
}

type Sources = Awaited<ReturnType<typeof getSources>>['sources']

function statusCommand(feeds: Command, { withContext, print }: Means): void {
  feeds
    .command('status')
    .description('Show the age and progress of each source; exit code 1 if one is stale')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { sources } = await withContext((ctx) => getSources(ctx))
      if (json === true) print(true, { sources })
      else process.stdout.write(sources.map(describeStatus).join(''))
      if (sources.some(({ isStale }) => isStale)) process.exitCode = 1
    })
}

function describeStatus(source: Sources[number]): string {
  const { lastSuccessAt, ageSeconds, isStale, state, recordCount, skippedCount, lastError } = source
  const word = isStale ? STATE_WORDS[state].toUpperCase() : STATE_WORDS[state]
  const age =
    lastSuccessAt === null || ageSeconds === null
      ? ''
      : `, complete ${lastSuccessAt.toISOString()} (${Math.floor(ageSeconds / 3600)} h ago)`
  const lines = [
    `${source.source}: ${word}${age}, ${formatCountOf(recordCount, 'record')}, ${skippedCount} skipped`,
    ...(source.phase === 'Idle' ? [] : [describeProgress(source)]),
    ...(lastError === null ? [] : [`last error: ${lastError.replaceAll('\n', '\n    ')}`]),
    ...(source.notice === null ? [] : [`note: ${source.notice}`]),
    ...source.skippedReasons.slice(0, 10).map(({ reason, count }) => `${count} skipped: ${reason}`),
  ]
  return `${lines.join('\n  ')}\n`
}

type Progress = NonNullable<Sources[number]['progress']>

function describeProgress({ phase, progress }: Sources[number]): string {
  const { part = '', partsDone = 0, partsTotal } = progress ?? {}
  const of = partsTotal === undefined ? '' : ` of ${partsTotal}`
  const rest = progress ? describeAmount(progress) + describeMerging(progress) : ''
  return `${phase} ${part}: parts done: ${partsDone}${of}${rest}`
}

function describeAmount({ records, bytes, bytesTotal }: Progress): string {
  if (records !== undefined) return `, ${formatCountOf(records, 'record')}`
  if (bytes === undefined) return ''
  return `, ${bytes}${bytesTotal === undefined ? '' : ` of ${bytesTotal}`} bytes`
}

function describeMerging({ merging }: Progress): string {
  if (merging === undefined) return ''
  const { step, done, total, piece, seconds = 0 } = merging
  const ofPiece = piece === undefined ? '' : ` piece ${piece}`
  const amount = done === undefined || total === undefined ? '' : ` ${done} of ${total}`
  return `, ${step.toLowerCase()}${ofPiece}${amount} (${seconds} s)`
}

interface Sync {
  acceptSmaller?: boolean
  json?: boolean
}

function syncCommand(feeds: Command, { withContext, print }: Means): void {
  feeds
    .command('sync')
    .description('Fetch sources now; continues where an earlier sync stopped')
    .argument('[source...]', `default: all of ${NAMES}`)
    .option(
      '--accept-smaller',
      'also import archives that are much smaller than the stored records',
    )
    .option('--json', 'answer as JSON')
    .action(async (names: string[], { acceptSmaller = false, json }: Sync) => {
      const sources = names.map((name) => sourceNamed(name, ''))
      const outcomes = await withContext((ctx) => syncAll(ctx, { sources, acceptSmaller }))
      if (json === true) print(true, { sources: outcomes })
      else process.stdout.write(outcomes.map(describeOutcome).join(''))
      if (outcomes.some(({ state }) => state !== 'Succeeded')) process.exitCode = 1
    })
}

/** Ctrl-C stops at a point from which the next run continues. */
async function syncAll(
  ctx: AppContext,
  { sources, acceptSmaller }: { sources: readonly FeedSource[]; acceptSmaller: boolean },
): Promise<SyncOutcome[]> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const outcomes: SyncOutcome[] = []
  try {
    for (const source of sources.length > 0 ? sources : ctx.config.feeds.sources) {
      if (stopping.signal.aborted) break
      const request = { source, isByHand: true, isSmallerAccepted: acceptSmaller, onProgress: say }
      outcomes.push(await syncSource(ctx, { ...request, signal: stopping.signal }))
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
  return outcomes
}

const STATES: Record<SyncOutcome['state'], string> = {
  Succeeded: 'complete',
  Failed: 'not complete',
  Stopped: 'stopped; the next sync continues',
  NotTaken: 'another process is syncing this source',
}

function describeOutcome({ source, state, error, notice, ...counts }: SyncOutcome): string {
  const { parts, added, changed, withdrawn } = counts
  const lines = [
    `${source}: ${STATES[state]}: ${formatCountOf(parts, 'part')}, ${added} added, ${changed} changed, ${withdrawn} withdrawn`,
    ...(error === undefined ? [] : [error.replaceAll('\n', '\n  ')]),
    ...(notice === undefined ? [] : [`note: ${notice}`]),
  ]
  return `${lines.join('\n  ')}\n`
}

function bundleCommand(feeds: Command, { withContext, print }: Means): void {
  feeds
    .command('bundle')
    .description('Write all advisories into one file, for import on a machine without internet')
    .argument('<file>', 'the file to write')
    .option('--json', 'answer as JSON')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { records, ...written } = await withContext((ctx) => writeBundle(ctx, file))
      if (json === true) print(true, { ...written, records })
      else print(false, { ...written, ...records })
    })
}

function keeperCommand(feeds: Command, { withContext, print, actor }: CommandMeans): void {
  feeds
    .command('keeper')
    .description(
      'Let owners and admins of a workspace read sources and carry files in, for all workspaces',
    )
    .argument('<workspace>', 'its id')
    .option('--not', 'no longer')
    .option('--json', 'answer as JSON')
    .action(async (workspace: string, { not = false, json }: { not?: boolean; json?: boolean }) => {
      const keepsSources = !not
      await withContext(async (ctx) => {
        const workspaceId = await requireWorkspace(ctx, workspace)
        await setKeepsSources(ctx, { workspaceId, keepsSources, actor })
      })
      print(json, { workspace, keepsSources })
    })
}
