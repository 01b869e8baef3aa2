/** The operator's commands on stored files. */
import type { Command } from 'commander'
import { adoptFiles } from '../claim-files.ts'
import type { CommandMeans } from './sboms.ts'

export function addFileCommands(program: Command, { withContext, print }: CommandMeans): void {
  const files = program.command('files').description('Stored files: SBOMs and artifacts')

  files
    .command('adopt')
    .description(
      'Make the configured file store that of this database, as after a restore without its files',
    )
    .option('--json', 'answer as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await withContext(adoptFiles)
      print(json, { adopted: true })
    })
}
