/** What links SBOMs, images and devices of a firmware version, for people and pipelines. */
import type { Command } from 'commander'
import type { ChainLink } from '../../../api-client/src/index.ts'
import { EXIT } from '../exit-codes.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { getTerminal } from '../terminal.ts'

export function addFirmwareChain(firmware: Command): void {
  withConnection(firmware.command('chain'))
    .description('Say whether each image is linked to its SBOM now, and fail when one is not')
    .argument('<version>', 'id of the firmware version, or slug@name')
    .action(showChain)
}

async function showChain(version: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findStatedVersionId(session, version)
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/chain'
  const chain = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  if (options.json) printJson(chain)
  else {
    const none = chain.sboms.length === 0 ? '(no SBOM)' : '(none of the SBOMs)'
    for (const link of chain.links)
      for (const line of describe(link, none)) printLine(sanitise(line))
  }
  if (!chain.isComplete) getTerminal().exitCode = EXIT.chainIncomplete
}

function describe({ step, from, to, state, why, next }: ChainLink, noSbom: string): string[] {
  const isToDevices = step === 'ImageToDevices'
  const begin = from ?? (isToDevices ? '(no image)' : noSbom)
  const end = isToDevices ? 'devices' : (to ?? '(no image)')
  return [`${begin} -> ${end}: ${state}. ${why}`, ...(next === null ? [] : [`  ${next}`])]
}
