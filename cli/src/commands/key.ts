import type { Command } from 'commander'
import type { ApiKey } from '../../../api-client/src/index.ts'
import { shownTime } from '../instant.ts'
import { listing, type ListOptions, printListing } from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of the workspace')

  listing(key.command('list'))
    .description('List the API keys, who made them and when they were last used')
    .action(list)
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: stateOf,
    style: (key) => (stateOf(key) === 'valid' ? 'green' : 'dim'),
  },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => shownTime(lastUsedAt) ?? 'never' },
  { title: 'EXPIRES (UTC)', value: ({ expiresAt }) => shownTime(expiresAt) ?? 'never' },
  {
    title: 'MADE BY',
    value: ({ createdByEmail, isMakerMember }) =>
      isMakerMember ? createdByEmail : `${createdByEmail} (left)`,
    style: ({ isMakerMember }) => (isMakerMember ? undefined : 'yellow'),
  },
  { title: 'SCOPES', value: ({ scopes }) => scopes.length },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid'
}

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const rows = await client.get('/workspaces/{workspaceId}/api-keys', { params: { workspaceId } })
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'API key',
    answer: (keys) => keys,
  })
}
