/** The operator's commands on API keys. */
import type { Command } from 'commander'
import { issueApiKey, revokeApiKey, rotateApiKey } from '../features/auth/index.ts'
import type { AppContext } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface KeyCreate {
  workspace: string
  name: string
  scope: string[]
  expires?: string
  owner?: string
  json?: boolean
}

export function keyCommands(program: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  const key = program.command('key').description('API keys')

  key
    .command('create')
    .description('Create an API key; it is shown this once')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption(
      '--scope <scopes...>',
      'a scope, such as "SBOMs: read"; may be given several times',
    )
    .option('--expires <time>', 'ISO 8601 time from which on it is refused')
    .option('--owner <email>', 'address of the person who answers for it', 'operator@localhost')
    .option('--json', 'answer as JSON')
    .action(async (options: KeyCreate) =>
      print(options.json, await withContext((ctx) => createKey(ctx, options, actor))),
    )

  key
    .command('revoke')
    .description('Revoke an API key; it is refused from the next request on')
    .argument('<id>', 'id of the key')
    .option('--json', 'answer as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      print(json, await withContext((ctx) => revokeApiKey(ctx, { id, actor })))
    })

  key
    .command('rotate')
    .description('Replace an API key by a new one that does the same; it is shown this once')
    .argument('<id>', 'id of the key')
    .option('--json', 'answer as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      print(json, await withContext((ctx) => rotateApiKey(ctx, { id, actor })))
    })
}

async function createKey(ctx: AppContext, options: KeyCreate, actor: CommandMeans['actor']) {
  const { workspace, name, scope: scopes, owner = 'operator@localhost' } = options
  const workspaceId = await requireWorkspace(ctx, workspace)
  const expiresAt = options.expires === undefined ? undefined : new Date(options.expires)
  if (expiresAt && Number.isNaN(expiresAt.getTime()))
    throw invalid(`--expires: ${options.expires ?? ''} is not a time.`)
  const expiry = expiresAt ? { expiresAt } : {}
  const input = { workspaceId, name, scopes, createdByEmail: owner, actor, ...expiry }
  return ctx.db.transaction().execute((tx) => issueApiKey(ctx, tx, input))
}
