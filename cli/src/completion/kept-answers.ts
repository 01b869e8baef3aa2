/** What the service answered for the shells, kept for a minute. A Tab reads it before it loads the client of the service. */
import { createHash, randomUUID } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { findCacheFolder, findProfilesFile } from '../user-folders.ts'
import { readVersion } from '../version.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FOR_MS = 60_000
const MOST_LINES = 2000
const MOST_FILES = 50
const OTHERS = 0o077

/** All that an answer depends on, except for how the last word goes on. A login, a logout or another workspace is another file. */
export function findKeptFile(env: Environment, words: readonly string[]): string | undefined {
  const folder = findFolder(env)
  if (folder === undefined) return undefined
  const { PLIMSOLL_URL, PLIMSOLL_API_KEY, PLIMSOLL_WORKSPACE, PLIMSOLL_PROFILE } = env
  const connection = [PLIMSOLL_URL, PLIMSOLL_API_KEY, PLIMSOLL_WORKSPACE, PLIMSOLL_PROFILE]
  const asked = [readVersion(), words.slice(0, -1), connection, readProfilesText(env)]
  return join(folder, createHash('sha256').update(JSON.stringify(asked)).digest('hex'))
}

function findFolder(env: Environment): string | undefined {
  const base = findCacheFolder(env)
  return base === undefined ? undefined : join(base, 'completion')
}

function readProfilesText(env: Environment): string | undefined {
  const path = findProfilesFile(env)
  return path === undefined ? undefined : attempt(() => readFileSync(path, 'utf8'))
}

/** @returns undefined where there is none, or it is too old */
export function readKept(env: Environment, words: readonly string[]): string[] | undefined {
  return attempt(() => {
    const path = findKeptFile(env, words)
    if (path === undefined || !isFresh(path)) return undefined
    const { lines } = JSON.parse(readFileSync(path, 'utf8')) as { lines?: unknown }
    return isTexts(lines) ? lines : undefined
  })
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** A time that is still to come is no age. */
function isFresh(path: string): boolean {
  const age = Date.now() - statSync(path).mtimeMs
  return age > -1000 && age < FOR_MS
}

/** Written whole or not at all. Where it cannot be written, the next answer is asked for again. */
export function keepAnswer(env: Environment, path: string, lines: readonly string[]): void {
  if (lines.length === 0 || lines.length > MOST_LINES) return
  attempt(() => {
    const folder = findFolder(env)
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32' && (lstatSync(folder).mode & OTHERS) !== 0) return
    removeOld(folder)
    const written = join(folder, randomUUID())
    writeFileSync(written, JSON.stringify({ lines }), { mode: 0o600, flag: 'wx' })
    renameSync(written, path)
  })
}

function removeOld(folder: string): void {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  const fresh = paths.filter((path) => attempt(() => isFresh(path)))
  const kept = new Set(fresh.slice(0, MOST_FILES - 1))
  for (const path of paths) if (!kept.has(path)) rmSync(path, { force: true })
}

/** What a logout leaves behind: nothing. */
export function dropKeptAnswers(env: Environment): void {
  attempt(() => {
    const folder = findFolder(env)
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })
}

function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
