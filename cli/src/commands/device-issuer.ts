/** The authorities whose certificates let devices in. People add and remove them, as they make device keys. */
import { type Command, Option } from 'commander'
import type {
  DeviceIdField,
  DeviceIssuer,
  DeviceRevocation,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { findIdByName } from '../named.ts'
import { formatCount } from '../print.ts'
import { readPublicText } from '../public-text.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const ISSUERS = '/workspaces/{workspaceId}/device-issuers'
const ISSUER = `${ISSUERS}/{deviceIssuerId}` as const

const FIELDS: Readonly<Record<string, DeviceIdField>> = {
  cn: 'CommonName',
  dns: 'DnsName',
  uri: 'Uri',
}

export function addDeviceIssuerCommands(program: Command): void {
  const issuer = program
    .command('device-issuer')
    .description('Authorities whose certificates let devices in without a key')

  withListOptions(issuer.command('list'))
    .description('List the authorities, until when each is trusted, and its devices')
    .action(list)
  withConnection(issuer.command('proof-name'))
    .description('Print the common name for which an authority issues its proof')
    .action(printProofName)
  withConnection(issuer.command('create'))
    .description('Trust an authority; the proof shows that you hold its key')
    .argument('<certificate>', 'file with the certificate of the authority (PEM)')
    .requiredOption('--proof <file>', 'certificate that it issued for the name of proof-name (PEM)')
    .requiredOption('--name <name>', 'what you call it')
    .addOption(
      new Option('--id-from <field>', 'where the id of the device stands')
        .choices(Object.keys(FIELDS))
        .default('cn'),
    )
    .option('--prefix <text>', 'what stands before the id there', '')
    .option('--suffix <text>', 'what stands after the id there', '')
    .action(create)
  withConnection(issuer.command('update'))
    .description('Rename an authority, or choose what holds after its revocation list has ended')
    .argument('<issuer>', 'its id or name')
    .option('--name <name>', 'what you call it')
    .addOption(
      new Option(
        '--after-list-end <what>',
        'refuse or accept certificates when nobody knows which were revoked since',
      ).choices(['refuse', 'accept']),
    )
    .action(update)
  withConfirmation(withConnection(issuer.command('delete')))
    .description('Trust an authority no more; devices with its certificates are cut off at once')
    .argument('<issuer>', 'its id or name')
    .action(remove)
  addRevocationCommands(issuer)
}

function addRevocationCommands(issuer: Command): void {
  withConnection(issuer.command('revocation-list'))
    .description('Upload the revocation list (CRL) of an authority, in place of the one before')
    .argument('<issuer>', 'its id or name')
    .argument('<file>', 'the list (PEM)')
    .action(uploadList)
  withConfirmation(withConnection(issuer.command('revoke')))
    .description('Revoke one certificate for good; a device with it is cut off at once')
    .argument('<issuer>', 'id or name of the authority')
    .argument('<serial>', 'serial number in hexadecimal, as openssl x509 -serial prints it')
    .action(revoke)
  withListOptions(issuer.command('revocations'))
    .description('List what is revoked, the newest first')
    .argument('<issuer>', 'id or name of the authority')
    .action(listRevocations)
}

const COLUMNS: readonly Column<DeviceIssuer>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: ({ state }) => STATES[state],
    style: ({ state }) => (state === 'Trusted' ? 'green' : 'yellow'),
  },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'ENDS (UTC)', value: ({ notAfter }) => formatTime(notAfter) },
  { title: 'FIRST END OF A DEVICE', value: ({ nextEndAt }) => formatTime(nextEndAt) ?? 'none' },
  {
    title: 'LIST UNTIL',
    value: ({ revocationList }) => formatTime(revocationList?.nextUpdate ?? null) ?? 'no list',
  },
  { title: 'SUBJECT', value: ({ subject }) => subject },
  { title: 'ID', value: ({ id }) => id },
]

const STATES = {
  Trusted: 'trusted',
  NotYetValid: 'not yet valid',
  Ended: 'ended',
  ListEnded: 'list ended',
} as const satisfies Record<DeviceIssuer['state'], string>

const readIssuers = async ({ client, workspaceId }: Session) =>
  client.get(ISSUERS, { params: { workspaceId } })

async function list(options: ListOptions): Promise<void> {
  const { deviceIssuers } = await readIssuers(await openSession(options))
  printListing(options, {
    rows: deviceIssuers,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'issuer of device certificates',
    answer: (rows) => ({ deviceIssuers: rows }),
  })
}

async function printProofName(options: ConnectionOptions): Promise<void> {
  const { proofName } = await readIssuers(await openSession(options))
  printDone(options, { answer: { proofName }, id: proofName, text: proofName })
}

interface CreateOptions extends ConnectionOptions {
  proof: string
  name: string
  idFrom: string
  prefix: string
  suffix: string
}

async function create(file: string, options: CreateOptions): Promise<void> {
  const { name, idFrom, prefix, suffix } = options
  const [certificate, proof] = await Promise.all([
    readPublicText(file),
    readPublicText(options.proof),
  ])
  const { client, workspaceId } = await openSession(options)
  const deviceIdField = FIELDS[idFrom] ?? 'CommonName'
  const rule = { deviceIdField, deviceIdPrefix: prefix, deviceIdSuffix: suffix }
  const body = { name, certificate, proof, ...rule }
  const issuer = await client.post(ISSUERS, { params: { workspaceId }, body })
  const text = `${issuer.name}: trusted, ${issuer.id}. ${issuer.standing}`
  printDone(options, { answer: issuer, id: issuer.id, text })
}

async function openIssuer(text: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const deviceIssuerId = await findIdByName(
    text,
    'device issuer',
    async () => (await readIssuers(session)).deviceIssuers,
  )
  const params = { workspaceId, deviceIssuerId }
  // Read by itself, as lists do not say which state of it they show.
  return { client, found: await client.get(ISSUER, { params }), params }
}

async function update(
  text: string,
  options: ConnectionOptions & { name?: string; afterListEnd?: string },
): Promise<void> {
  const { name, afterListEnd } = options
  const { client, found, params } = await openIssuer(text, options)
  const body = {
    ...(name !== undefined && { name }),
    ...(afterListEnd !== undefined && { acceptsAfterCrlEnd: afterListEnd === 'accept' }),
  }
  const issuer = await client.patch(ISSUER, { params, body, ifStill: found })
  const { id, standing } = issuer
  printDone(options, { answer: issuer, id, text: `${issuer.name}: changed. ${standing}` })
}

async function remove(text: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, found, params } = await openIssuer(text, options)
  const { id, name, deviceCount } = found
  const devices = formatCount(deviceCount, 'device')
  const question = `Trust ${name} no more? ${devices} with its certificates ${deviceCount === 1 ? 'is' : 'are'} cut off at once. Keys stay: a device that has one may go on with it. What was revoked of it is forgotten.`
  await confirm(question, options)
  await client.delete(ISSUER, { params })
  printDone(options, { answer: { id }, id, text: `${name}: trusted no more; keys of devices stay` })
}

async function uploadList(text: string, file: string, options: ConnectionOptions): Promise<void> {
  const { client, found, params } = await openIssuer(text, options)
  const crl = await readPublicText(file)
  const answer = await client.post(`${ISSUER}/revocation-list`, { params, body: { crl } })
  const { revokedCount, newlyRevokedCount, nextUpdate } = answer
  const names = formatCount(revokedCount, 'certificate')
  const said = `${found.name}: the list names ${names}, newly refused: ${newlyRevokedCount}. It holds until ${formatTime(nextUpdate)}.`
  printDone(options, { answer, id: found.id, text: said })
}

async function revoke(
  text: string,
  serial: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, found, params } = await openIssuer(text, options)
  await confirm(`Revoke the certificate ${serial} of ${found.name}? For good.`, options)
  const answer = await client.post(`${ISSUER}/revocations`, { params, body: { serial } })
  const seen = answer.seenCount === 0 ? 'no device has used it yet' : 'its device is cut off'
  const said = `${answer.serial}: revoked; ${seen}`
  printDone(options, { answer, id: answer.serial, text: said })
}

const REVOCATIONS: readonly Column<DeviceRevocation>[] = [
  { title: 'SERIAL', value: ({ serial }) => serial },
  { title: 'REVOKED (UTC)', value: ({ revokedAt }) => formatTime(revokedAt) },
  {
    title: 'BY',
    value: ({ isListed, revokedByEmail }) =>
      isListed ? 'the list' : (revokedByEmail ?? 'operator'),
  },
  { title: 'DEVICE', value: ({ deviceId }) => deviceId ?? 'never seen' },
]

async function listRevocations(text: string, options: ListOptions): Promise<void> {
  const { client, params } = await openIssuer(text, options)
  const { revocations } = await client.get(`${ISSUER}/revocations`, { params })
  printListing(options, {
    rows: revocations,
    columns: REVOCATIONS,
    nameOf: ({ serial }) => serial,
    noun: 'revoked certificate',
    answer: (rows) => ({ revocations: rows }),
  })
}
