/** The operator's commands on settings. */
import type { Command } from 'commander'
import { readSettings } from '../config/config.ts'
import { findOrigin } from '../config/environment-file.ts'
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
      const { config, settings } = readSettings()
      const { warnings, publicUrl, databaseUrl } = config
      const database = databaseUrl === undefined ? 'embedded' : 'external'
      const answer = { publicUrl, database, warnings }
      const from = settings.map(({ file, ...one }) => ({
        ...one,
        from: file ?? findOrigin(one.name),
      }))
      if (json === true) return print(true, { ...answer, settings: from })
      print(false, { ...answer, warnings: warnings.length })
      for (const one of from) process.stdout.write(`${one.name}=${one.value}  (${one.from})\n`)
      for (const { detail } of warnings) process.stderr.write(`Warning: ${detail}\n`)
    })
}
