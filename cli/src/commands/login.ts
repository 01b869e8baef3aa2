import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { ApiProblem, createApiClient } from '../../../api-client/src/index.ts'
import { askLine, isInteractive } from '../ask.ts'
import { DEFAULT_URL, findLoginUrl, requireKey, readStatedProfile } from '../connection.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { formatTime } from '../instant.ts'
import { note } from '../print.ts'
import {
  checkProfileName,
  type Profile,
  getProfile,
  readProfiles,
  withoutProfile,
  withProfile,
  writeProfiles,
} from '../profiles.ts'
import { fetchPatiently } from '../retry.ts'
import { getTerminal } from '../terminal.ts'
import { logInByPortal } from '../terminal-login.ts'

interface Output {
  json?: boolean
  quiet?: boolean
}

interface Login extends Output {
  url?: string
  profile?: string
  key?: boolean
  keyStdin?: boolean
  open?: boolean
}

export function addLoginCommands(program: Command): void {
  answering(program.command('login'))
    .description('Log in: somebody approves it in the portal, or with an API key; keeps a profile')
    .option(
      '--url <url>',
      `where the service is (default: that of the profile, else ${DEFAULT_URL}) (env: PLIMSOLL_URL)`,
    )
    .option(
      '--profile <name>',
      'what to call the login (default: the host of the service) (env: PLIMSOLL_PROFILE)',
    )
    .addOption(new Option('--key', 'ask for an API key, which is not shown').conflicts('keyStdin'))
    .option('--key-stdin', 'read an API key from stdin')
    .option('--open', 'open the page of the portal in the browser of this machine')
    .action(logIn)
  answering(program.command('logout'))
    .description('Log out: revoke the key of the login, and forget the profile')
    .option('--profile <name>', 'the login (default: the one in use) (env: PLIMSOLL_PROFILE)')
    .action(logOut)
}

function answering(command: Command): Command {
  return command
    .option('--json', 'answer as JSON')
    .option('-q, --quiet', 'only the name of the profile, and no notes')
}

async function logIn(options: Login): Promise<void> {
  getTerminal().isQuiet = options.quiet ?? false
  const stored = await readProfiles()
  const url = findLoginUrl(options, stored)
  const name = checkProfileName(readStatedProfile(options.profile) ?? chooseName(url))
  const got = await obtainKey(url, options)
  const { profile, expiresAt } = got
  const path = await writeProfiles(withProfile(await readProfiles(), { ...profile, name }))
  await endFormer(stored.profiles.find((one) => one.name === name && one.apiKey !== profile.apiKey))
  const { apiKey: _secret, ...answer } = { ...profile, name }
  const until = expiresAt === null ? '' : ` until ${formatTime(expiresAt) ?? ''} UTC`
  printDone(options, {
    answer,
    id: name,
    text: `Logged in to ${profile.workspaceName} at ${url} as ${got.who}${until}.`,
  })
  note(`Kept as the profile ${name} in ${path}.`)
}

/** Two services on one host differ by their ports. */
function chooseName(url: string): string {
  const { hostname, port } = new URL(url)
  return [hostname.replaceAll(/[^\w.-]/g, ''), port].filter(Boolean).join('-')
}

interface ObtainedKey {
  profile: Omit<Profile, 'name'>
  who: string
  expiresAt: string | null
}

async function obtainKey(url: string, options: Login): Promise<ObtainedKey> {
  if (!options.key && !options.keyStdin) {
    const client = createApiClient({ baseUrl: url, fetch: fetchPatiently })
    const granted = await logInByPortal(client, { opens: options.open ?? false })
    const { apiKey, workspaceId, workspaceName, email, expiresAt } = granted
    const profile = { url, apiKey, workspaceId, workspaceName, isLogin: true }
    return { profile, who: email, expiresAt }
  }
  const apiKey = requireKey(await readKey(options))
  const client = createApiClient({ baseUrl: url, apiKey, fetch: fetchPatiently })
  const { workspaceId, workspaceName, key } = await client.get('/whoami', {})
  const profile = { url, apiKey, workspaceId, workspaceName, isLogin: key.isLogin }
  return { profile, who: `the key ${key.name}`, expiresAt: key.expiresAt }
}

async function readKey({ keyStdin }: Login): Promise<string> {
  if (keyStdin) return (await text(getTerminal().stdin)).trim()
  if (!isInteractive()) throw usageError('Nobody can be asked here: give the key by --key-stdin.')
  return ((await askLine('API key:', { isHidden: true })) ?? '').trim()
}

/** A login that is replaced is of no use to anybody. It ends in its time where the service is not to be reached. */
async function endFormer(former: Profile | undefined): Promise<void> {
  if (former?.isLogin) await endLogin(former).catch(() => undefined)
}

async function endLogin({ url, apiKey }: Profile): Promise<void> {
  const client = createApiClient({ baseUrl: url, apiKey, fetch: fetchPatiently })
  await client.delete('/whoami', {}).catch((error: unknown) => {
    // It was ended elsewhere.
    if (!(error instanceof ApiProblem) || error.problem.status !== 401) throw error
  })
}

async function logOut(options: Output & { profile?: string }): Promise<void> {
  getTerminal().isQuiet = options.quiet ?? false
  const stored = await readProfiles()
  const name = readStatedProfile(options.profile) ?? stored.current
  if (name === undefined) throw usageError('No profile is in use: name one with --profile.')
  const profile = getProfile(stored, name)
  if (profile.isLogin) await endLogin(profile)
  await writeProfiles(withoutProfile(stored, name))
  const { url, workspaceName, isLogin } = profile
  printDone(options, {
    answer: { name, url, workspaceName, isRevoked: isLogin },
    text: `Logged out of ${workspaceName} at ${url}.`,
  })
  if (!isLogin)
    note(
      'The key itself still works: an admin or owner revokes it in the settings of the workspace.',
    )
}
