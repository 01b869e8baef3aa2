import {
  describeOfferReason,
  nameArtifactRole,
  type OfferedArtifact,
} from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { findStatedVersionId } from '../firmware-version.ts'
import { isForPeople, type ListOptions, printListing, withListOptions } from '../listing.ts'
import { printLine } from '../print.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addDeviceOffer(device: Command): void {
  withListOptions(device.command('offer'))
    .description('Show which files a device is offered, and why')
    .argument('<device>', 'its id')
    .option('--if <version>', 'what it would be offered of this version, which is not deployed')
    .action(show)
}

const COLUMNS: readonly Column<OfferedArtifact>[] = [
  { title: 'VERSION', value: ({ slug, version }) => `${slug} ${version}` },
  { title: 'ROLE', value: nameArtifactRole },
  { title: 'FILE', value: ({ fileName }) => fileName },
  { title: 'BYTES', value: ({ sizeBytes }) => String(sizeBytes) },
  { title: 'WHY', value: describeOfferReason, isSpare: true },
]

async function show(deviceId: string, options: ListOptions & { if?: string }): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const query =
    options.if === undefined
      ? {}
      : { firmwareVersionId: await findStatedVersionId(session, options.if) }
  const answer = await client.get('/workspaces/{workspaceId}/devices/{deviceId}/artifact-offer', {
    params: { workspaceId, deviceId },
    query,
  })
  printListing(options, {
    rows: answer.artifacts,
    columns: COLUMNS,
    nameOf: ({ fileName }) => fileName,
    noun: 'file',
    answer: (artifacts) => ({ ...answer, artifacts }),
  })
  if (answer.leftOut.length > 0 && isForPeople(options))
    printLine(`Not offered, as its hawkBit client takes one file: ${answer.leftOut.join(', ')}`)
}
