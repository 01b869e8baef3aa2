import type { Command } from 'commander'
import type { ApiKey } from '../../../api-client/src/index.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of the workspace')

  withListOptions(key.command('list'))
    .description('List the API keys, who made them and when they were last used')
    .action(listKeys)
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: describeState,
    style: (key) => (describeState(key) === 'valid' ? 'green' : 'dim'),
  },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => formatTime(lastUsedAt) ?? 'never' },
  { title: 'EXPIRES (UTC)', value: ({ expiresAt }) => formatTime(expiresAt) ?? 'never' },
  {
    title: 'MADE BY',
    value: ({ createdByEmail, isMakerMember }) =>
      isMakerMember ? createdByEmail : `${createdByEmail} (left)`,
    style: ({ isMakerMember }) => (isMakerMember ? undefined : 'yellow'),
  },
  { title: 'SCOPES', value: ({ scopes }) => scopes.length },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function describeState({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid'
}

async function listKeys(options: ListOptions): Promise<void> {
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
