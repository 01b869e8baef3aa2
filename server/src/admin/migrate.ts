/** `admin migrate`: brings the schema up to this release, or tells what that would do. Every start of the service does it, too. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import { migrate, readMissingMigrations } from '../platform/db/migrate.ts'
import { planMigrations, type PlannedMigration } from '../platform/db/migration-plan.ts'
import { printProgress, withPool } from './open-pool.ts'
import type { CommandMeans } from './sboms.ts'

export function migrateCommand(program: Command, { print }: Pick<CommandMeans, 'print'>): void {
  program
    .command('migrate')
    .description('Bring the schema up to this release, as the next start of the service would')
    .option(
      '--check',
      'only tell what would be done to which tables, and roughly how long it takes',
    )
    .option('--json', 'answer as JSON')
    .action(async ({ check = false, json }: { check?: boolean; json?: boolean }) => {
      const migrations = await planOrMigrate(check)
      const seconds = sumRows(migrations)
      if (json === true) return print(true, { migrations, seconds })
      for (const line of describe(migrations)) process.stdout.write(`${line}\n`)
      const names = migrations.length === 1 ? '1 migration' : `${migrations.length} migrations`
      const what = check ? `${names} to apply, about ${seconds} s of work on tables` : names
      process.stdout.write(migrations.length === 0 ? 'The schema is up to date.\n' : `${what}.\n`)
    })
}

function planOrMigrate(isCheck: boolean): Promise<PlannedMigration[]> {
  return withPool(async (pool) => {
    const plan = await planMigrations(pool, await readMissingMigrations(pool))
    if (!isCheck) await migrate(pool, printProgress)
    return plan
  })
}

function sumRows(migrations: readonly PlannedMigration[]): number {
  return migrations.flatMap(({ tables }) => tables).reduce((sum, { seconds }) => sum + seconds, 0)
}

function describe(migrations: readonly PlannedMigration[]): string[] {
  return migrations.flatMap(({ name, tables }) => [
    name,
    ...tables.map(
      ({ table, effect, rows, bytes, seconds }) =>
        `  ${table}: ${effect}; about ${formatCountOf(rows, 'row')}, ${Math.ceil(bytes / 1024 ** 2)} MiB, ${seconds} s`,
    ),
  ])
}
