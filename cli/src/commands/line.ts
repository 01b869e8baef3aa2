import type { Command } from 'commander'
import type { FirmwareLines, FirmwareLinesPreview } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { findFirmware } from '../firmware-version.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { findOneByName, notFound } from '../named.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const LINES = '/workspaces/{workspaceId}/firmwares/{firmwareId}/lines'

type Line = FirmwareLines['lines'][number]

/** The line then says nothing of its own. */
const AS_WORKSPACE = 'AsWorkspace'
const GATES = ['Off', 'Warn', 'Block', AS_WORKSPACE] as const
const SUPPORT_RULES = ['NotAsked', 'NotEnded', 'UntilPromise', AS_WORKSPACE] as const

interface SetOptions extends ConnectionOptions {
  pattern?: string[]
  name?: string
  supportEndsOn?: string
  releaseGate?: Line['releaseGate'] | typeof AS_WORKSPACE
  gateSupport?: Line['gateSupport'] | typeof AS_WORKSPACE
  first?: boolean
  dryRun?: boolean
}

export function addLineCommands(program: Command): void {
  const line = program
    .command('line')
    .description('Release lines of a firmware, each with its newest version')

  withListOptions(line.command('list'))
    .description('List the release lines of a firmware, in the order in which they are tried')
    .argument('<firmware>', 'its slug or id')
    .action(list)
  withConnection(line.command('set'))
    .description('Add a release line, or change it; options that are left out stay')
    .argument('<firmware>', 'its slug or id')
    .argument('<line>', 'its name')
    .option('--pattern <pattern...>', 'versions with this in their name belong to it: ^2\\.')
    .option('--name <name>', 'another name')
    .option(
      '--support-ends-on <day>',
      'the first day without fixes; empty: as the firmware promises',
    )
    .option(
      '--release-gate <word>',
      `what the release gate does with its versions: ${GATES.join(', ')}`,
      readOneOf(GATES),
    )
    .option(
      '--gate-support <word>',
      `what the gate asks of support: ${SUPPORT_RULES.join(', ')}`,
      readOneOf(SUPPORT_RULES),
    )
    .option('--first', 'try it before the other lines; a new line is tried after them')
    .option('--dry-run', 'say what would change, and change nothing')
    .action(set)
  withConfirmation(withConnection(line.command('delete')))
    .description('Delete a release line; its versions go to the next line that matches them')
    .argument('<firmware>', 'its slug or id')
    .argument('<line>', 'its name or id')
    .action(remove)
}

async function openLines(slug: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(slug)}`)
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareId: firmware.id }
  return { client, params, found: await client.get(LINES, { params }) }
}

const COLUMNS: readonly Column<Line>[] = [
  { title: 'LINE', value: ({ name }) => name },
  { title: 'PATTERNS', value: ({ patterns }) => patterns.join('  ') },
  { title: 'VERSIONS', value: ({ versionCount }) => versionCount },
  { title: 'STATED', value: ({ statedCount }) => statedCount },
  { title: 'NEWEST', value: ({ newest }) => newest?.name ?? null },
  { title: 'SUPPORTED UNTIL', value: ({ supportEndsOn }) => supportEndsOn },
  { title: 'GATE', value: describeGate },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

/** "Block, UntilPromise"; null: as the workspace says. */
function describeGate({ releaseGate, gateSupport }: Line): string | null {
  const said = [releaseGate, gateSupport].filter((one) => one !== null)
  return said.length === 0 ? null : said.join(', ')
}

async function list(slug: string, options: ListOptions): Promise<void> {
  const { found } = await openLines(slug, options)
  printListing(options, {
    rows: found.lines,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'release line',
    answer: (lines) => ({ ...found, lines }),
  })
}

async function set(slug: string, name: string, options: SetOptions): Promise<void> {
  const { client, params, found } = await openLines(slug, options)
  const known = found.lines.find((line) => line.name === name || line.id === name)
  const changes = readChanges(options)
  if (known && Object.keys(changes).length === 0 && options.first !== true)
    throw usageError(
      'Say what to change: --pattern, --name, --support-ends-on, --release-gate, --gate-support or --first.',
    )
  const line = { ...(known ?? { name }), ...changes }
  const others = found.lines.filter((one) => one !== known)
  const place = options.first === true ? 0 : known ? found.lines.indexOf(known) : others.length
  const body = { lines: others.toSpliced(place, 0, line as Line) }
  const preview = await client.post(`${LINES}/preview`, { params, body })
  const text = describePreview(preview)
  if (options.dryRun === true) {
    printDone(options, { answer: preview, text: `${line.name}: ${text} Nothing was changed.` })
    return
  }
  const answer = await client.put(LINES, { params, body, ifStill: found })
  const done = known ? 'changed' : 'added'
  printDone(options, { answer, id: line.name, text: `${line.name}: ${done}. ${text}` })
}

function readChanges(options: SetOptions) {
  const { pattern, name, supportEndsOn, releaseGate, gateSupport } = options
  return {
    ...(releaseGate && { releaseGate: releaseGate === AS_WORKSPACE ? null : releaseGate }),
    ...(gateSupport && { gateSupport: gateSupport === AS_WORKSPACE ? null : gateSupport }),
    ...(pattern !== undefined && { patterns: pattern }),
    ...(name !== undefined && { name }),
    ...(supportEndsOn !== undefined && { supportEndsOn: supportEndsOn || null }),
  }
}

/** "3 of 14 versions move to another line; 1 is matched by several lines. 2 belong to no line." */
function describePreview(preview: FirmwareLinesPreview): string {
  const { movedCount, versionCount, matchedTwiceCount, withoutLine, endedDecisionCount } = preview
  const moved = `${movedCount} of ${formatCount(versionCount, 'version')} to another line`
  const twice =
    matchedTwiceCount === 0 ? '' : `; patterns of several lines match ${matchedTwiceCount}`
  const ended =
    endedDecisionCount === 0 ? '' : ` Ends ${formatCount(endedDecisionCount, 'standing decision')}.`
  return `Moves ${moved}${twice}; ${withoutLine.versionCount} belong to none.${ended}`
}

async function remove(
  slug: string,
  name: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, params, found } = await openLines(slug, options)
  const { id, name: called } = await findOneByName(name, 'release line', () =>
    Promise.resolve(found.lines),
  )
  const body = { lines: found.lines.filter((line) => line.id !== id) }
  const text = describePreview(await client.post(`${LINES}/preview`, { params, body }))
  await confirm(`Delete the release line ${called}? ${text}`, options)
  const answer = await client.put(LINES, { params, body, ifStill: found })
  printDone(options, { answer, text: `${called}: deleted. ${text}` })
}
