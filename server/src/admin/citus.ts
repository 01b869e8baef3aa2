/** The operator's command that spreads the tables over the nodes of a Citus cluster. */
import type { Command } from 'commander'
import { distributeTables } from '../platform/db/migrate.ts'
import { invalid } from '../platform/errors.ts'
import type { CommandMeans } from './sboms.ts'

export function addCitusCommands(program: Command, { withContext, print }: CommandMeans): void {
  const citus = program.command('citus').description('A database of several nodes (Citus)')

  citus
    .command('distribute')
    .description(
      'Spread the tables of workspaces over the nodes, and copy all others to each node; what is done already stays',
    )
    .option('--json', 'answer as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const log = (text: string) => process.stderr.write(`${text}\n`)
      const done = await withContext(({ pool }) => distributeTables(pool, log))
      if (!done)
        throw invalid(
          'The database has no extension citus: create it, add the nodes, and run this again.',
        )
      const { byWorkspace, bySeries, onEachNode, foreignKeys } = done
      print(json, {
        byWorkspace: byWorkspace.length,
        bySeries: bySeries.length,
        onEachNode: onEachNode.length,
        foreignKeys,
      })
    })
}
