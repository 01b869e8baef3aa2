/** The options of every command, and the client that they lead to. */
import { type Command, Option } from 'commander'
import { createApiClient, type GuardedClient, type WhoAmI } from '../../api-client/src/index.ts'
import { withAnswerFormat } from './answer-format.ts'
import { COMMON_OPTIONS } from './common-options.ts'
import { DEFAULT_URL, findConnection, requireKey } from './connection.ts'
import { fetchPatiently } from './retry.ts'
import { type AnswerFormat, getTerminal } from './terminal.ts'

export interface ConnectionOptions extends AnswerFormat {
  url?: string
  apiKey?: string
  workspace?: string
  profile?: string
  json?: boolean
  quiet?: boolean
}

export interface Session {
  client: GuardedClient
  workspaceId: string
  baseUrl: string
  apiKey: string
  /** Asks the service at most once. */
  whoAmI: () => Promise<WhoAmI>
}

/** The options every command has. */
export function withConnection(command: Command): Command {
  const options = [
    new Option('--json', 'answer as JSON'),
    new Option('-q, --quiet', 'only names or ids, one a line, and no notes'),
    new Option('--url <url>', `where the service is (default: ${DEFAULT_URL}) (env: PLIMSOLL_URL)`),
    new Option(
      '--api-key <key>',
      'API key; better given in the environment, where other users do not see it (env: PLIMSOLL_API_KEY)',
    ),
    new Option(
      '--workspace <id>',
      'id of the workspace (default: that of the key) (env: PLIMSOLL_WORKSPACE)',
    ),
    new Option('--profile <name>', 'a login that is kept (env: PLIMSOLL_PROFILE)'),
  ]
  for (const option of options) command.addOption(option.helpGroup(COMMON_OPTIONS))
  return withAnswerFormat(command, COMMON_OPTIONS)
}

const CONNECTION: ReadonlySet<string> = new Set<keyof ConnectionOptions>([
  'url',
  'apiKey',
  'workspace',
  'profile',
  'json',
  'quiet',
  'as',
  'jq',
])

/** What the options of a command say beside those that every command has. */
export function ownOptions<Options extends ConnectionOptions>(options: Options) {
  const own = Object.entries(options).filter(([name]) => !CONNECTION.has(name))
  return Object.fromEntries(own) as Omit<Options, keyof ConnectionOptions>
}

export async function openSession(options: ConnectionOptions): Promise<Session> {
  getTerminal().isQuiet = options.quiet ?? false
  const { baseUrl, workspaceId, ...connection } = await findConnection(options)
  const apiKey = requireKey(connection.apiKey)
  const client = createApiClient({ baseUrl, apiKey, fetch: fetchPatiently })
  let answer: Promise<WhoAmI> | undefined
  const whoAmI = () => (answer ??= client.get('/whoami', {}))
  const workspace = workspaceId ?? (await whoAmI()).workspaceId
  return { client, workspaceId: workspace, baseUrl, apiKey, whoAmI }
}
