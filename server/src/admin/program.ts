/** The operator's commands. They work on the database whether or not the service runs. */
import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './backup.ts'
import { addCitusCommands } from './citus.ts'
import { addConfigCommands } from './config.ts'
import { addDeviceCommands } from './devices.ts'
import { addDoctorCommand } from './doctor.ts'
import { addFeedCommands } from './feeds.ts'
import { addFileCommands } from './files.ts'
import { addKeyEncryptionCommands } from './key-encryption.ts'
import { addKeyCommands } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { addNotificationAddressCommands } from './notification-addresses.ts'
import { addOverrideCommands } from './overrides.ts'
import { addPeopleCommands } from './people.ts'
import { addSbomCommands } from './sboms.ts'
import { addSigningKeyCommands } from './signing-key.ts'
import { addStatusCommand } from './status.ts'
import { addWorkspaceCommands } from './workspaces.ts'
import { readConfig } from '../config/config.ts'
import { applyEnvironmentFile } from '../config/environment-file.ts'
import { describeFailure } from '../describe-failure.ts'
import { bootstrapWorkspace, requireFreeName } from '../features/workspaces/index.ts'
import { MESSAGES } from '../messages.ts'
import { openContext, type OpenedContext } from '../open-context.ts'
import { OPERATOR } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import { createLog } from '../platform/log.ts'
import { PROGRAMS } from '../platform/programs.ts'

/** Runs one command on the database. Answers go to stdout, everything else to stderr. */
async function withOpened<Result>(
  use: (opened: OpenedContext) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(undefined, { PLIMSOLL_LOG_LEVEL: 'silent' })
  const log = createLog(config.logLevel)
  const onProgress = (text: string) => process.stderr.write(`${text}\n`)
  const opened = await openContext({
    config,
    log,
    onProgress,
    messages: MESSAGES,
    as: 'command',
  })
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}

function withContext<Result>(use: (ctx: AppContext) => Promise<Result>): Promise<Result> {
  return withOpened(({ ctx }) => use(ctx))
}

function print(json: boolean | undefined, answer: Record<string, unknown>): void {
  if (json === true) process.stdout.write(`${JSON.stringify(answer)}\n`)
  else
    for (const [name, value] of Object.entries(answer))
      process.stdout.write(`${name}: ${String(value)}\n`)
}

interface Bootstrap {
  workspace: string
  owner: string
  keepsSources?: boolean
  json?: boolean
}

const program = new Command(PROGRAMS.admin)
  .description('Commands for the operator of Plimsoll')
  .exitOverride()
  .showHelpAfterError()

program
  .command('bootstrap')
  .description('Create a workspace, its owner and a key with every scope')
  .requiredOption('--workspace <name>', 'name of the workspace')
  .requiredOption('--owner <email>', 'e-mail address of its owner')
  .option(
    '--keeps-sources',
    'its owners and admins read vulnerability sources and carry files in, for all workspaces',
  )
  .option('--json', 'answer as JSON')
  .action(async ({ workspace, owner, keepsSources = false, json }: Bootstrap) => {
    const input = { name: workspace, ownerEmail: owner, keepsSources, actor: OPERATOR }
    const answer = await withContext(async (ctx) => {
      await requireFreeName(ctx, workspace)
      return bootstrapWorkspace(ctx, input)
    })
    print(json, answer)
  })

addConfigCommands(program, { print })
migrateCommand(program, { print })
addStatusCommand(program, { withOpened, print })
addFeedCommands(program, { withContext, print, actor: OPERATOR })
addSbomCommands(program, { withContext, print, actor: OPERATOR })
addOverrideCommands(program, { withContext, print, actor: OPERATOR })
addBackupCommands(program, { print })
addDoctorCommand(program, { withContext, print, actor: OPERATOR })
addWorkspaceCommands(program, { withContext, print, actor: OPERATOR })
addKeyCommands(program, { withContext, print, actor: OPERATOR })
addKeyEncryptionCommands(program, { withContext, print, actor: OPERATOR })
addSigningKeyCommands(program, { withContext, print, actor: OPERATOR })
addDeviceCommands(program, { withContext, print, actor: OPERATOR })
addPeopleCommands(program, { withContext, print, actor: OPERATOR })
addFileCommands(program, { withContext, print, actor: OPERATOR })
addCitusCommands(program, { withContext, print, actor: OPERATOR })
addNotificationAddressCommands(program, { withContext, print, actor: OPERATOR })

try {
  applyEnvironmentFile()
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  process.stderr.write(`${describeFailure(error)}\n`)
  return 1
}
