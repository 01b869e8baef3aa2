/** Which licences may ship, by the rules that the service keeps. */
import type { Command } from 'commander'
import type { JudgedLicence, VersionLicences } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { download } from '../download.ts'
import { EXIT } from '../exit-codes.ts'
import { findFirmware, findStatedVersionId } from '../firmware-version.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { notFound } from '../named.ts'
import { formatCount, note, printJson } from '../print.ts'
import { OUTCOME_WORDS, readLicenceRules } from '../sbom-licences.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { getTerminal } from '../terminal.ts'

const OF_WORKSPACE = '/workspaces/{workspaceId}/licence-rules'
const OF_FIRMWARE = '/workspaces/{workspaceId}/firmwares/{firmwareId}/licence-rules'
const OF_VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/licences'

interface RulesOptions extends ConnectionOptions {
  firmware?: string
}

const withFirmware = (command: Command) =>
  withConnection(command).option('--firmware <slug>', 'of one firmware, in place of all')

export function addLicenceCommands(program: Command): void {
  const licence = program
    .command('licence')
    .description('Which licences may ship, and which components have others')

  withListOptions(licence.command('show'))
    .description('Show the licences that components of a firmware version state, the worst first')
    .argument('<version>', 'slug@name or id')
    .option('--fail', 'exit with 14 if a component may not ship, or if there are no rules')
    .action(show)
  withFirmware(licence.command('rules'))
    .description('Show the rules, as JSON that licence set takes')
    .action(showRules)
  withFirmware(licence.command('set'))
    .description('State which licences may ship, by a file as sbom check --licence-rules takes it')
    .argument('<file>', 'JSON with allow, deny, review and failOn')
    .action(setRules)
  withConfirmation(withFirmware(licence.command('delete')))
    .description('Delete the rules; those of a firmware give way to those of the workspace')
    .action(deleteRules)
  withConnection(licence.command('notice'))
    .description('Write the components of a firmware version with the texts of their licences')
    .argument('<version>', 'slug@name or id')
    .option('--html', 'as a page')
    .option('--output <file>', 'file to write (default: stdout)')
    .action(writeNotice)
}

const COLUMNS: readonly Column<JudgedLicence>[] = [
  { title: 'LICENCE', value: ({ licence }) => licence ?? 'none is stated' },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => (outcome === null ? 'not judged' : OUTCOME_WORDS[outcome]),
  },
  {
    title: 'COMPONENTS',
    value: ({ components: [first = ''], componentCount }) =>
      componentCount === 1 ? first : `${first} and ${componentCount - 1} more`,
  },
  { title: 'WHY', value: ({ reasons }) => reasons.join('; ') },
]

async function show(version: string, options: ListOptions & { fail?: boolean }): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findStatedVersionId(session, version)
  const found = await client.get(OF_VERSION, { params: { workspaceId, firmwareVersionId } })
  if (options.fail === true && found.failingCount !== 0)
    getTerminal().exitCode = EXIT.licencesNotMet
  if (options.json) {
    printJson(found)
    return
  }
  printListing(options, {
    rows: found.licences,
    columns: COLUMNS,
    nameOf: ({ licence }) => licence ?? 'none is stated',
    noun: 'licence',
    answer: (licences) => ({ ...found, licences }),
  })
  if (options.csv !== true && options.quiet !== true) note(describe(found))
}

function describe({ failingCount, counts, componentCount, rulesOf }: VersionLicences): string {
  const components = formatCount(componentCount, 'component')
  if (!counts || rulesOf === null)
    return `${components}; nothing was judged, as there are no rules. State some: plimsoll licence set rules.json`
  const { allowed, review, notListed, unknown, denied } = counts
  return `${components}: ${allowed} allowed, ${review} to be reviewed, ${notListed} in no list, ${unknown} unknown, ${denied} denied. By the rules of the ${rulesOf.toLowerCase()}, ${failingCount ?? 0} may not ship.`
}

async function findFirmwareId(session: Session, slug: string): Promise<string> {
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(slug)}`)
  return firmware.id
}

async function showRules(options: RulesOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  if (options.firmware === undefined) {
    printJson((await client.get(OF_WORKSPACE, { params: { workspaceId } })).rules)
    return
  }
  const firmwareId = await findFirmwareId(session, options.firmware)
  const params = { workspaceId, firmwareId }
  const { ownRules, workspaceRules } = await client.get(OF_FIRMWARE, { params })
  printJson(ownRules ?? workspaceRules)
}

async function setRules(file: string, options: RulesOptions): Promise<void> {
  const rules = await readLicenceRules(file)
  await replaceRules(options, rules, (of) => `${of} may ship what ${file} says.`)
}

async function deleteRules(options: RulesOptions & ConfirmOptions): Promise<void> {
  const what = options.firmware ?? 'the workspace'
  await confirm(`Delete the licence rules of ${what}?`, options)
  await replaceRules(options, null, (of) => `${of}: the licence rules were deleted.`)
}

async function replaceRules(
  options: RulesOptions,
  rules: Awaited<ReturnType<typeof readLicenceRules>> | null,
  tell: (of: string) => string,
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  if (options.firmware === undefined) {
    const params = { workspaceId }
    const ifStill = await client.get(OF_WORKSPACE, { params })
    const answer = await client.put(OF_WORKSPACE, { params, body: { rules }, ifStill })
    printDone(options, { answer, text: tell('The workspace') })
    return
  }
  const params = { workspaceId, firmwareId: await findFirmwareId(session, options.firmware) }
  const ifStill = await client.get(OF_FIRMWARE, { params })
  const answer = await client.put(OF_FIRMWARE, { params, body: { ownRules: rules }, ifStill })
  printDone(options, { answer, text: tell(options.firmware) })
}

async function writeNotice(
  version: string,
  options: ConnectionOptions & { html?: boolean; output?: string },
): Promise<void> {
  const session = await openSession(options)
  const id = encodeURIComponent(await findStatedVersionId(session, version))
  const path = `/firmware-versions/${id}/notice${options.html === true ? '/page' : ''}`
  await download(session, path, options.output)
}
