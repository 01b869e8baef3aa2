import type { Command } from 'commander'
import type { AnswerOf } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { findFirmware } from '../firmware-version.ts'
import { shownTime } from '../instant.ts'
import { markStyle } from '../mark.ts'
import { printJson, printLine } from '../print.ts'
import { type ConnectionOptions, connecting, openSession } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

type Version = AnswerOf<'listFirmwareVersions'>['firmwareVersions'][number]

export function addFirmwareCommands(program: Command): void {
  const firmware = program.command('firmware').description('Firmwares and their versions')

  connecting(firmware.command('versions'))
    .description('List the versions of a firmware with their marks, newest first')
    .argument('<firmware>', 'its slug')
    .action(listVersions)
}

const COLUMNS: readonly Column<Version>[] = [
  { title: 'VERSION', value: ({ name }) => name },
  {
    title: 'MARK',
    value: ({ mark }) => mark.sentence,
    style: ({ mark }) => markStyle(mark),
  },
  { title: 'SBOMS', value: ({ sbomCount }) => sbomCount },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'ID', value: ({ id }) => id },
]

async function listVersions(slug: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw usageError(`There is no firmware with the slug ${JSON.stringify(slug)}.`)
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions'
  const { firmwareVersions } = await client.get(path, {
    params: { workspaceId, firmwareId: firmware.id },
  })
  if (options.json) printJson({ firmwareVersions })
  else if (firmwareVersions.length === 0) printLine('No versions.')
  else writeTable(terminal().stdout, COLUMNS, firmwareVersions)
}
