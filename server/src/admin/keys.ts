/** The operator's commands on API keys. */
import type { Command } from 'commander'
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../features/auth/index.ts'
import type { AppContext } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { findWorkspace, requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface KeyCreate {
  workspace: string
  name: string
  scope: string[]
  expires?: string
  owner?: string
  json?: boolean
}

export function addKeyCommands(program: Command, means: CommandMeans): void {
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
    .command('list')
    .description('List the API keys of a workspace, without the keys themselves; newest first')
    .requiredOption('--workspace <name>', 'its name or id')
    .option('--json', 'answer as JSON')
    .action(async ({ workspace, json }: { workspace: string; json?: boolean }) => {
      const keys = await withContext(async (ctx) =>
        listApiKeys(ctx.db, await findWorkspace(ctx, workspace)),
      )
      if (json === true) return print(json, { apiKeys: keys })
      for (const one of keys) process.stdout.write(shown(one))
    })

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

type ApiKey = Awaited<ReturnType<typeof listApiKeys>>[number]

function shown({ id, name, scopes, createdAt, lastUsedAt, expiresAt, revokedAt }: ApiKey): string {
  const instant = (at: Date | null) => at?.toISOString() ?? 'never'
  const parts = [
    id,
    name,
    `created ${instant(createdAt)}`,
    `last used ${instant(lastUsedAt)}`,
    revokedAt ? `revoked ${instant(revokedAt)}` : `expires ${instant(expiresAt)}`,
    scopes.join(', '),
  ]
  return `${parts.join('  ')}\n`
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
