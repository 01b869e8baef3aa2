/** URL, API key and workspace, from flags or the environment. */
import { type Command, Option } from 'commander'
import { type AnswerOf, type ApiClient, createApiClient } from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { patientFetch } from './retry.ts'
import { terminal } from './terminal.ts'

const DEFAULT_URL = 'http://localhost:8080'

export interface ConnectionOptions {
  url?: string
  apiKey?: string
  workspace?: string
  profile?: string
  json?: boolean
  quiet?: boolean
}

export interface Session {
  client: ApiClient
  workspaceId: string
  baseUrl: string
  apiKey: string
  /** Asks the service at most once. */
  whoAmI: () => Promise<AnswerOf<'whoAmI'>>
}

export const COMMON_OPTIONS = 'Common options:'

/** The options every command has. */
export function connecting(command: Command): Command {
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
  ]
  for (const option of options) command.addOption(option.helpGroup(COMMON_OPTIONS))
  return command
}

const CONNECTION: ReadonlySet<string> = new Set<keyof ConnectionOptions>([
  'url',
  'apiKey',
  'workspace',
  'profile',
  'json',
  'quiet',
])

/** What the options of a command say beside those that every command has. */
export function ownOptions<Options extends ConnectionOptions>(options: Options) {
  const own = Object.entries(options).filter(([name]) => !CONNECTION.has(name))
  return Object.fromEntries(own) as Omit<Options, keyof ConnectionOptions>
}

export async function openSession(options: ConnectionOptions): Promise<Session> {
  const { env } = terminal()
  terminal().isQuiet = options.quiet ?? false
  const baseUrl = checkedUrl(given(options.url ?? env['PLIMSOLL_URL']) ?? DEFAULT_URL)
  const apiKey = given(options.apiKey ?? env['PLIMSOLL_API_KEY'])
  if (apiKey === undefined)
    throw new CliError(EXIT.unauthorised, 'No API key: set PLIMSOLL_API_KEY or pass --api-key.')
  if (!/^[\u0021-\u007e]+$/.test(apiKey))
    throw new CliError(EXIT.unauthorised, 'The API key has characters that no key has.')
  const client = createApiClient({ baseUrl, apiKey, fetch: patientFetch })
  let answer: Promise<AnswerOf<'whoAmI'>> | undefined
  const whoAmI = () => (answer ??= client.get('/whoami', {}))
  const workspaceId =
    given(options.workspace ?? env['PLIMSOLL_WORKSPACE']) ?? (await whoAmI()).workspaceId
  return { client, workspaceId, baseUrl, apiKey, whoAmI }
}

/** Treats an empty variable as unset, as pipelines mean it. */
function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageError(`--url: ${text} is not an http or https URL.`)
  return (url.origin + url.pathname).replace(/\/+$/, '')
}
