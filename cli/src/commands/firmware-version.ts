import type { Command } from 'commander'
import { openVersion } from '../stated-version.ts'
import { ApiProblem, type FirmwareVersion } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { findFirmware, findStatedVersionId, splitVersion } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { readLine } from '../lines.ts'
import { readOneOf } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { describeLicences, describeSupport, sumSupport } from '../support-lines.ts'

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'

interface WriteOptions extends ConnectionOptions {
  name?: string
  buildId?: string
  purl?: string
  cpe?: string
  predecessor?: string
  line?: string
  securityOnly?: (typeof ANSWERS)[number]
}

const ANSWERS = ['yes', 'no', 'unknown'] as const
const SAID = { yes: true, no: false, unknown: null } as const

export function addFirmwareVersionCommands(program: Command): void {
  const version = program
    .command('firmware-version')
    .description('One version of a firmware; firmware versions lists them')

  named(version.command('show')).description('Show a version and its mark').action(show)
  writing(withConnection(version.command('create')))
    .description('Create a version')
    .argument('<version>', 'slug@name')
    .action(create)
  writing(named(version.command('update')))
    .description('Change a version; options that are left out stay')
    .option('--name <name>', 'another name')
    .action(update)
  withConfirmation(named(version.command('delete')))
    .description('Delete a version with its SBOMs, findings and decisions')
    .action(remove)
}

function named(command: Command): Command {
  return withConnection(command.argument('<version>', 'slug@name or id'))
}

function writing(command: Command): Command {
  return command
    .option('--build-id <text>', 'what devices report instead of a name')
    .option('--purl <purl>', 'what it is called as a package')
    .option('--cpe <cpe>', 'what it is called as a product')
    .option('--predecessor <version>', 'the version before it: its name, slug@name or id')
    .option('--line <line>', 'the release line that it belongs to; empty: as patterns say')
    .option(
      '--security-only <answer>',
      `whether it mends security alone, apart from features: ${ANSWERS.join(', ')}`,
      readOneOf(ANSWERS),
    )
}

async function show(version: string, options: ConnectionOptions): Promise<void> {
  const { session, client, params } = await openVersion(version, options)
  const found = await client.get(VERSION, { params })
  if (options.json) {
    printJson(found)
    return
  }
  const ends = found.sbomCount === 0 ? [] : await readEnds(session, params)
  printFacts([...listFacts(found), ...ends])
  await notePage(session, 'firmwareVersion', params)
}

/** What of it is out of support, and may not ship. A key that may not read SBOMs is told nothing of it. */
async function readEnds(
  { client }: Session,
  params: { workspaceId: string; firmwareVersionId: string },
): Promise<Fact[]> {
  try {
    const support = await client.get(`${VERSION}/support`, { params })
    const { counts } = await client.get(`${VERSION}/licences`, { params })
    return [
      ['Support', describeSupport(sumSupport(support))],
      ['Licences', counts && describeLicences(counts)],
    ]
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 403) return []
    throw error
  }
}

const formatName = ({ firmware, name }: FirmwareVersion) => `${firmware.slug}@${name}`

function listFacts(version: FirmwareVersion): Fact[] {
  const { runningNow, seenLastDay, seenLastWeek, older } = version.affectedDevices
  return [
    ['Version', formatName(version)],
    ['Id', version.id],
    ['Mark', version.mark.sentence],
    ...version.mark.reasons.map(({ verdict, text }): Fact => [`  ${verdict}`, text]),
    ['Support period', version.supportPeriod.sentence],
    ['SBOMs', version.sbomCount],
    [
      'Devices',
      `${version.affectedDeviceCount}: ${runningNow} now, ${seenLastDay} within a day, ${seenLastWeek} within a week, ${older} before`,
    ],
    ['Build id', version.buildId],
    ['purl', version.purl],
    ['CPE', version.cpe],
    ['Line', describeLine(version)],
    ['Security only', describeSecurityOnly(version)],
    ['Predecessor', version.predecessorId],
    ['Created', formatTime(version.createdAt)],
  ]
}

function describeLine({ line, isNewestOfLine, statedLineId }: FirmwareVersion) {
  if (!line) return null
  const stated = statedLineId === null ? '' : ', as stated'
  return `${line.name}${isNewestOfLine ? ', its newest version' : ''}${stated}`
}

const describeSecurityOnly = ({ securityOnly }: FirmwareVersion) =>
  securityOnly === null ? 'not known' : securityOnly ? 'yes' : 'no, it has features too'

async function create(version: string, options: WriteOptions): Promise<void> {
  const { firmware: slug, version: name } = splitVersion(version)
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmware = await findFirmware(session, slug)
  if (!firmware)
    throw usageError(
      `There is no firmware with the slug ${JSON.stringify(slug)}; plimsoll firmware list shows what there is, firmware create makes it.`,
    )
  const body = {
    name,
    ...(await readChanges(options, slug)),
    ...(await readLine(session, firmware.id, options.line)),
  }
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions'
  const params = { workspaceId, firmwareId: firmware.id }
  const answer = await client.post(path, { params, body })
  printDone(options, { answer, id: formatName(answer), text: `${version}: created, ${answer.id}` })
}

async function update(version: string, options: WriteOptions): Promise<void> {
  const { session, client, params } = await openVersion(version, options)
  const slug = version.split('@', 1)[0]
  const name = options.name === undefined ? {} : { name: options.name }
  const changes = { ...name, ...(await readChanges(options, slug)) }
  if (Object.keys(changes).length === 0 && options.line === undefined)
    throw usageError('Say what to change: firmware-version update --help shows the options.')
  const found = await client.get(VERSION, { params })
  const body = { ...changes, ...(await readLine(session, found.firmware.id, options.line)) }
  const answer = await client.patch(VERSION, { params, body, ifStill: found })
  printDone(options, { answer, text: `${formatName(answer)}: changed` })
}

async function readChanges(options: WriteOptions, slug?: string) {
  const { buildId, purl, cpe, predecessor, securityOnly } = options
  const session = predecessor === undefined ? undefined : await openSession(options)
  return {
    ...(buildId !== undefined && { buildId: buildId || null }),
    ...(purl !== undefined && { purl: purl || null }),
    ...(cpe !== undefined && { cpe: cpe || null }),
    ...(securityOnly !== undefined && { securityOnly: SAID[securityOnly] }),
    ...(session &&
      predecessor !== undefined && {
        predecessorId: await findStatedVersionId(session, predecessor, slug),
      }),
  }
}

async function remove(version: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const found = await client.get(VERSION, { params })
  const sboms = formatCount(found.sbomCount, 'SBOM')
  const extent = `with ${sboms}, its artifact, findings and decisions`
  await confirm(`Delete ${formatName(found)} ${extent}?`, options)
  await client.delete(VERSION, { params })
  const answer = { id: found.id, sbomCount: found.sbomCount }
  printDone(options, { answer, text: `${formatName(found)}: deleted ${extent}` })
}
