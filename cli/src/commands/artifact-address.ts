/** Standing addresses of files of a firmware version, for programs on devices that have no key. */
import type { Command } from 'commander'
import type { ArtifactAddress } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readPositive } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, withConnection } from '../session.ts'
import { requireWholeRole, type StatedRole } from '../stated-role.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'
import type { Column } from '../table.ts'

const ADDRESSES =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifact-addresses'

export function addArtifactAddresses(artifact: Command): void {
  const command = artifact
    .command('address')
    .description('Addresses at which devices get a file at any time, without a key')

  withStatedVersion(withListOptions(command.command('list')))
    .description('List them, with their uses')
    .action(list)
  withStatedVersion(withConnection(command.command('create')))
    .description('Make one; the file may be uploaded later')
    .requiredOption('--days <days>', 'how long it works', readPositive)
    .option('--role <role>', 'delta, or a part such as chunks (default: the full image)')
    .option('--base <version>', 'of a delta: the version that a device has to run')
    .action(create)
  withConfirmation(withStatedVersion(withConnection(command.command('delete'))))
    .description('Revoke one')
    .argument('<address>', 'its id')
    .action(remove)
}

const COLUMNS: readonly Column<ArtifactAddress>[] = [
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'ENDS (UTC)', value: ({ endsAt }) => formatTime(endsAt) },
  { title: 'USES', value: ({ uses }) => String(uses) },
  {
    title: 'LAST USE (UTC)',
    value: ({ lastUsedAt }) => (lastUsedAt ? formatTime(lastUsedAt) : ''),
  },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'ADDRESS', value: ({ url }) => url, isSpare: true },
]

async function list(version: string, options: ListOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { addresses } = await client.get(ADDRESSES, { params })
  printListing(options, {
    rows: addresses,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'standing address',
    nouns: 'standing addresses',
    answer: (rows) => ({ addresses: rows }),
  })
}

const describeUses = ({ role, uses, lastUsedAt, endsAt }: ArtifactAddress) =>
  `It opens ${role === 'image' ? 'the full image' : `the file of the role ${role}`} until ${formatTime(endsAt)}, and was used ${lastUsedAt === null ? 'by nobody yet' : `${formatCount(uses, 'time')}, last at ${formatTime(lastUsedAt)}`}. `

interface CreateOptions extends ConnectionOptions, StatedRole {
  days: number
}

async function create(version: string, options: CreateOptions): Promise<void> {
  requireWholeRole(options)
  const { session, client, params } = await openVersion(version, options)
  const { days, role, base } = options
  const body = {
    days,
    ...(role !== undefined && { role }),
    ...(base !== undefined && { baseVersionId: await findStatedVersionId(session, base) }),
  }
  const answer = await client.post(ADDRESSES, { params, body })
  const text = `${answer.url}\nIt ends at ${formatTime(answer.endsAt)}.`
  printDone(options, { answer, id: answer.id, text })
}

async function remove(
  version: string,
  addressId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const { addresses } = await client.get(ADDRESSES, { params })
  const found = addresses.find(({ id }) => id === addressId)
  await confirm(
    `Revoke this address? ${found ? describeUses(found) : ''}Devices that were given it get nothing any more.`,
    options,
  )
  await client.delete(`${ADDRESSES}/{addressId}`, { params: { ...params, addressId } })
  printDone(options, { answer: { id: addressId }, text: 'The address is revoked' })
}
