/** Where the service is and with which key it is asked: flags before the environment, the environment before a profile. */
import { EXIT } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { type Profile, getProfile, type Profiles, readProfiles } from './profiles.ts'
import { getTerminal } from './terminal.ts'

export const DEFAULT_URL = 'http://localhost:8080'

interface StatedConnection {
  url?: string
  apiKey?: string
  workspace?: string
  profile?: string
}

interface Connection {
  baseUrl: string
  apiKey: string | undefined
  workspaceId: string | undefined
}

/** A profile that is named in a flag comes before the environment, as a flag does. */
export async function findConnection(options: StatedConnection): Promise<Connection> {
  const named = given(options.profile)
  const stated = statedOutside(options, named !== undefined)
  const isTold = stated.url !== undefined && stated.apiKey !== undefined
  const profile = isTold ? undefined : await findProfile(named)
  const baseUrl = checkedUrl(stated.url ?? profile?.url ?? DEFAULT_URL)
  if (stated.apiKey !== undefined || !profile)
    return { baseUrl, apiKey: stated.apiKey, workspaceId: stated.workspace }
  // The key of a profile goes to the address of the profile and nowhere else.
  if (profile.url !== baseUrl) throw otherUrl(profile, baseUrl)
  const { apiKey, workspaceId } = profile
  return { baseUrl, apiKey, workspaceId: stated.workspace ?? workspaceId }
}

function statedOutside(options: StatedConnection, onlyFlags: boolean) {
  const env = onlyFlags ? {} : getTerminal().env
  return {
    url: given(options.url) ?? given(env['PLIMSOLL_URL']),
    apiKey: given(options.apiKey) ?? given(env['PLIMSOLL_API_KEY']),
    workspace: given(options.workspace) ?? given(env['PLIMSOLL_WORKSPACE']),
  }
}

async function findProfile(named: string | undefined): Promise<Profile | undefined> {
  const stored = await readProfiles()
  const name = readStatedProfile(named) ?? stored.current
  return name === undefined ? undefined : getProfile(stored, name)
}

export function readStatedProfile(named: string | undefined): string | undefined {
  return given(named) ?? given(getTerminal().env['PLIMSOLL_PROFILE'])
}

/** Finds the address to log in at: a renewed login keeps the address of its profile. */
export function findLoginUrl(
  { url, profile }: StatedConnection,
  { current, profiles }: Profiles,
): string {
  const name = readStatedProfile(profile) ?? current
  const known = profiles.find((one) => one.name === name)
  return checkedUrl(
    given(url) ?? given(getTerminal().env['PLIMSOLL_URL']) ?? known?.url ?? DEFAULT_URL,
  )
}

function otherUrl({ name, url }: Profile, baseUrl: string): CliError {
  return new CliError(
    EXIT.unauthorised,
    `No API key for ${baseUrl}: the key of the profile ${name} is for ${url} alone.`,
  )
}

export function requireKey(apiKey: string | undefined): string {
  if (apiKey === undefined)
    throw new CliError(
      EXIT.unauthorised,
      'No API key: use plimsoll login, set PLIMSOLL_API_KEY or pass --api-key.',
    )
  if (!/^[\u0021-\u007e]+$/.test(apiKey))
    throw new CliError(EXIT.unauthorised, 'The API key has characters that no key has.')
  return apiKey
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
