/** Files that an operator's command may not read or write, and disks that are full: one sentence, and nothing that looks whole. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { findProgram } from './programs.ts'
import { runAdmin, serviceEnvironment, type ServiceSettings } from './service-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-files-'))
const at = (...path: string[]) => join(folder, ...path)
let settings: ServiceSettings
let workspaceId: string

beforeAll(async () => {
  const { connectionString } = await createTestDatabase()
  const env = { DATABASE_URL: connectionString }
  settings = { dataDir: at('data'), port: 0, managementPort: 0, env }
  const names = ['--workspace', 'Acme', '--owner', 'owner@example.com', '--json']
  const { stdout } = await runAdmin(settings, 'bootstrap', ...names)
  ;({ workspaceId } = JSON.parse(stdout) as { workspaceId: string })
  writeFileSync(at('closed.json'), '{}', { mode: 0 })
  mkdirSync(at('closed'), { mode: 0 })
})

/** A disk of 64 kB, where this user may mount one. */
const isMounted = (() => {
  mkdirSync(at('small'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', at('small')], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
})()

afterAll(() => {
  if (isMounted) execFileSync('umount', [at('small')])
  chmodSync(at('closed'), 0o700)
  rmSync(folder, { recursive: true, force: true })
})

/** Without the right of root to pass by the modes of files. */
const AS_ANYBODY =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []

interface Given {
  env?: Record<string, string>
  /** In blocks of 1,024 bytes. */
  largestFile?: number
}

async function admin(args: readonly string[], { env = {}, largestFile }: Given = {}) {
  const limit = largestFile === undefined ? '' : `ulimit -f ${largestFile}; trap '' XFSZ; `
  const line = [...AS_ANYBODY, process.execPath, await findProgram('admin'), ...args]
  const environment = serviceEnvironment({ ...settings, env: { ...settings.env, ...env } })
  return new Promise<{ code: number | null; stderr: string }>((done) => {
    const child = execFile(
      'bash',
      ['-c', `${limit}exec "$@"`, 'bash', ...line],
      { env: environment },
      (_error, _stdout, stderr) => done({ code: child.exitCode, stderr }),
    )
  })
}

const REFUSED = /the user \S+ has no right to it\. [^\n]+\n$/
const FULL = /The disk is full[^\n]+ Make room, then do it again\.\n$/

it.each<[string, () => string[], RegExp, Given?]>([
  ['a file to import', () => ['feeds', 'import', at('closed.json')], REFUSED],
  ['a folder to import', () => ['feeds', 'import', at('closed')], REFUSED],
  ['the folder of a bundle', () => ['feeds', 'bundle', at('closed', 'x')], REFUSED],
  ['the folder of a backup', () => ['backup', 'create', at('closed', 'x')], REFUSED],
  ['the folder of a backup in a file', () => ['backup', 'create', at('closed', 'x.tar')], REFUSED],
  ['a backup to list', () => ['backup', 'list', at('closed')], REFUSED],
  ['a backup to verify', () => ['backup', 'verify', at('closed')], REFUSED],
  ['a backup to restore', () => ['restore', at('closed')], REFUSED],
  [
    'the folder of an export',
    () => ['workspace', 'export', workspaceId, at('closed', 'x')],
    REFUSED,
  ],
  [
    'the folder of data',
    () => ['status'],
    REFUSED,
    { env: { DATABASE_URL: '', PLIMSOLL_DATA_DIR: at('closed', 'data') } },
  ],
  ['the settings', () => ['status'], REFUSED, { env: { PLIMSOLL_ENV_FILE: at('closed.json') } }],
])('tells that it has no right to %s', async (_what, args, says, given) => {
  const { code, stderr } = await admin(args(), given)

  expect(stderr).toMatch(says)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(code).toBe(1)
})

it('tells of a limit of files, and leaves no backup', async () => {
  const { code, stderr } = await admin(['backup', 'create', at('limited')], { largestFile: 4 })

  expect(stderr).toMatch(/ would be larger than this process may write\. [^\n]+\n$/)
  expect(code).toBe(1)
  expect(await listBackups(at('limited'))).toEqual([])
})

// A container may not mount; a skipped test says so.
it.skipIf(!isMounted).each<[string, () => string[]]>([
  ['a backup in a file', () => ['backup', 'create', at('small', 'backup.tar')]],
  ['an export', () => ['workspace', 'export', workspaceId, at('small', 'export')]],
])('tells of a full disk for %s, and leaves nothing', async (_what, args) => {
  writeFileSync(at('small', 'filler'), Buffer.alloc(60_000))

  const { code, stderr } = await admin(args())

  expect(stderr).toMatch(FULL)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(code).toBe(1)
  expect(listFiles(at('small'))).toEqual(['filler'])
})

/** What a run that failed has left is no backup; the next one takes it away. */
it.skipIf(!isMounted)('tells of a full disk for a backup, and lists none', async () => {
  writeFileSync(at('small', 'filler'), Buffer.alloc(60_000))

  const { code, stderr } = await admin(['backup', 'create', at('small', 'backup')])

  expect(stderr).toMatch(FULL)
  expect(code).toBe(1)
  expect(await listBackups(at('small', 'backup'))).toEqual([])
})

async function listBackups(path: string): Promise<unknown> {
  const { stdout } = await runAdmin(settings, 'backup', 'list', path, '--json')
  return (JSON.parse(stdout) as { backups: unknown }).backups
}

function listFiles(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}
