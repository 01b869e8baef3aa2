/** The operator's commands on settings. */
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import type { CommandMeans } from './sboms.ts'

export function addConfigCommands(program: Command, { print }: Pick<CommandMeans, 'print'>): void {
  program
    .command('config')
    .description('Settings of the service')
    .command('check')
    .description(
      'Read the settings as the service would, without starting it; exit code 1 on a fault',
    )
    .option('--json', 'answer as JSON')
    .action(({ json }: { json?: boolean }) => {
      const { warnings, publicUrl, databaseUrl } = readConfig()
      const database = databaseUrl === undefined ? 'embedded' : 'external'
      const answer = { publicUrl, database, warnings }
      if (json === true) return print(true, { ...answer })
      print(false, { ...answer, warnings: warnings.length })
      for (const { detail } of warnings) process.stderr.write(`Warning: ${detail}\n`)
    })
}
