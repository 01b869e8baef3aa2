/** Addresses at which others always find current documents about a firmware. */
import type { Command } from 'commander'
import { STANDING_DOCUMENT, type StandingAddress } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { findFirmware, findVersionId } from '../firmware-version.ts'
import { formatTime, parseLaterInstant } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findOneByName, notFound } from '../named.ts'
import { readListOf } from '../option-values.ts'
import { note } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const ADDRESSES = '/workspaces/{workspaceId}/standing-addresses'

interface CreateOptions extends ConnectionOptions {
  line?: string
  version?: string
  documents?: (typeof STANDING_DOCUMENT)[number][]
  name?: string
  public?: boolean
  ends?: string
}

export function addStandingAddressCommands(program: Command): void {
  const address = program
    .command('standing-address')
    .description('Addresses of VEX, SBOM and support that are always current')

  withListOptions(address.command('list'))
    .description('List standing addresses, and when they were last used')
    .action(list)
  withConnection(address.command('create').argument('<firmware>', 'its slug'))
    .description('Make an address, for everybody or by a link that is shown this once')
    .option('--line <line>', 'the newest version of this release line (default: of the firmware)')
    .option('--version <name>', 'this version alone')
    .option(
      '--documents <kinds>',
      `${STANDING_DOCUMENT.join(',')} (default: all for a link, Vex,Support for everybody)`,
      readListOf(STANDING_DOCUMENT),
    )
    .option('--name <name>', 'who gets it')
    .option('--public', 'for everybody who knows the address')
    .option(
      '--ends <time>',
      'when it ends (default: a link in a year, a public address never)',
      (text) => parseLaterInstant(text),
    )
    .action(create)
  withConfirmation(withConnection(address.command('revoke').argument('<address>', 'id or name')))
    .description('Revoke an address: it answers nothing from now on')
    .action(revoke)
}

const describeTarget = ({ firmware, line, firmwareVersion }: StandingAddress) =>
  firmwareVersion !== null
    ? `${firmware.name} ${firmwareVersion.name}`
    : `${firmware.name}, newest${line === null ? '' : ` of ${line.name}`}`

const describeState = ({ revokedAt, endsAt }: StandingAddress) =>
  revokedAt !== null
    ? 'revoked'
    : endsAt !== null && new Date(endsAt) <= new Date()
      ? 'ended'
      : 'in use'

const COLUMNS: readonly Column<StandingAddress>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'ABOUT', value: describeTarget },
  { title: 'DOCUMENTS', value: ({ documents }) => documents.join(' ') },
  { title: 'FOR', value: ({ isPublic }) => (isPublic ? 'everybody' : 'a link') },
  { title: 'STATE', value: describeState },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => formatTime(lastUsedAt) ?? 'never' },
  { title: 'ID', value: ({ id }) => id },
]

const readAddresses = async ({ client, workspaceId }: Session) =>
  (await client.get(ADDRESSES, { params: { workspaceId } })).standingAddresses

async function list(options: ListOptions): Promise<void> {
  printListing(options, {
    rows: await readAddresses(await openSession(options)),
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'standing address',
    nouns: 'standing addresses',
    answer: (standingAddresses) => ({ standingAddresses }),
  })
}

async function create(slug: string, options: CreateOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const { ends, public: isPublic = false } = options
  const { firmware, ...target } = await findTarget(session, slug, options)
  const documents = options.documents ?? (isPublic ? ['Vex', 'Support'] : [...STANDING_DOCUMENT])
  const answer = await client.post(ADDRESSES, {
    params: { workspaceId },
    body: {
      name: options.name ?? (isPublic ? `${firmware.name}, for everybody` : firmware.name),
      firmwareId: firmware.id,
      documents,
      isPublic,
      ...target,
      ...(ends !== undefined && { endsAt: ends }),
    },
  })
  if (!isPublic && !options.json && !options.quiet)
    note(`A link until ${formatTime(answer.endsAt) ?? ''}, shown this once:`)
  printDone(options, { answer, id: answer.url, text: answer.url })
}

async function findTarget(session: Session, slug: string, { line, version }: CreateOptions) {
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(slug)}`)
  if (version !== undefined) {
    const named = { firmware: slug, version }
    return { firmware, firmwareVersionId: await findVersionId(session, undefined, named) }
  }
  if (line === undefined) return { firmware }
  return { firmware, lineId: await findLineId(session, firmware.id, line) }
}

async function findLineId(session: Session, firmwareId: string, text: string): Promise<string> {
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareId }
  const { id } = await findOneByName(
    text,
    'release line',
    async () =>
      (await client.get('/workspaces/{workspaceId}/firmwares/{firmwareId}/lines', { params }))
        .lines,
  )
  return id
}

async function revoke(text: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const session = await openSession(options)
  const { id, name, lastUsedAt } = await findOneByName(text, 'standing address', async () =>
    (await readAddresses(session)).filter(({ revokedAt }) => revokedAt === null),
  )
  const used = formatTime(lastUsedAt)
  await confirm(
    `Revoke ${name}? It was ${used === null || used === undefined ? 'never used' : `last used at ${used}`}. Whoever reads it gets nothing from now on.`,
    options,
  )
  await session.client.delete(`${ADDRESSES}/{standingAddressId}`, {
    params: { workspaceId: session.workspaceId, standingAddressId: id },
  })
  printDone(options, { answer: { id }, id, text: `${name}: revoked` })
}
