/** Logins that are kept: where a service is, and the key for it. One file that nobody else may read. */
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { dropKeptAnswers } from './completion/kept-answers.ts'
import { usageError } from './failure.ts'
import { replaceFile } from './replaced-file.ts'
import { getTerminal } from './terminal.ts'
import { findProfilesFile } from './user-folders.ts'

export interface Profile {
  name: string
  url: string
  apiKey: string
  workspaceId: string
  workspaceName: string
  /** The key was made by a login and ends with it. */
  isLogin: boolean
}

export interface Profiles {
  current: string | undefined
  profiles: readonly Profile[]
}

const NONE: Profiles = { current: undefined, profiles: [] }
const OTHERS = 0o077
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

export async function readProfiles(): Promise<Profiles> {
  const path = findProfilesFile(getTerminal().env)
  const text = path === undefined ? undefined : await readOwn(path)
  if (path === undefined || text === undefined) return NONE
  return parseProfiles(text, path)
}

/** Refuses a file that others may read: its keys are theirs already. */
async function readOwn(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(orMissing)
  if (!found) return undefined
  // Windows has no such modes.
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0)
    throw usageError(
      `Others can read the keys in ${path}: chmod 600 it. If others use this machine, log in anew.`,
    )
  return readFile(path, 'utf8')
}

function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw usageError(error.message)
}

function parseProfiles(text: string, path: string): Profiles {
  const read = tryParse(text) as { current?: unknown; profiles?: unknown } | undefined
  const profiles = read?.profiles
  if (!Array.isArray(profiles) || !profiles.every(isProfile))
    throw usageError(`${path} is not a file of profiles: delete it, and log in again.`)
  const current = typeof read?.current === 'string' ? read.current : undefined
  return { current, profiles }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false
  const { isLogin, ...texts } = value as Record<keyof Profile, unknown>
  const { name, url, apiKey, workspaceId, workspaceName } = texts
  const isTold = [name, url, apiKey, workspaceId, workspaceName].every(
    (text) => typeof text === 'string',
  )
  return isTold && typeof isLogin === 'boolean'
}

/** Written whole or not at all, and never readable by others. What former logins saw goes with them. */
export async function writeProfiles(profiles: Profiles): Promise<string> {
  const path = findProfilesFile(getTerminal().env)
  if (path === undefined)
    throw usageError('There is no place for the profile: neither HOME nor XDG_CONFIG_HOME is set.')
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const text = `${JSON.stringify(profiles, null, 2)}\n`
  await replaceFile(path, Readable.from([text]), { mode: OWNER_ONLY })
  dropKeptAnswers(getTerminal().env)
  return path
}

/** The one of this name takes the place of an older one. */
export function withProfile({ profiles }: Profiles, profile: Profile): Profiles {
  const others = profiles.filter(({ name }) => name !== profile.name)
  return { current: profile.name, profiles: [...others, profile].toSorted(byName) }
}

const byName = (one: Profile, other: Profile) => (one.name < other.name ? -1 : 1)

export function withoutProfile({ current, profiles }: Profiles, name: string): Profiles {
  return {
    current: current === name ? undefined : current,
    profiles: profiles.filter((profile) => profile.name !== name),
  }
}

export function getProfile({ profiles }: Profiles, name: string): Profile {
  const found = profiles.find((profile) => profile.name === name)
  if (found) return found
  const names = profiles.map((profile) => profile.name).join(', ')
  const known = names === '' ? 'There are none; plimsoll login makes one.' : `There are: ${names}.`
  throw usageError(`There is no profile ${JSON.stringify(name)}. ${known}`)
}

const NAME = /^[\w][\w.-]{0,63}$/

export function checkProfileName(name: string): string {
  if (!NAME.test(name))
    throw usageError('The name of a profile has letters, digits, ".", "_" and "-" only.')
  return name
}
