/** Imports that are killed, and imports at the same time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'
import {
  givenFolder,
  type ImportContext,
  knowledge,
  nvdPage,
  openImportContext,
  osvRecord,
} from '../../../test/given-feeds.ts'
import { importFeeds } from './service.ts'

const SCRIPT = join(import.meta.dirname, '../../../test/run-feed-import.ts')

let ctx: ImportContext
let connectionString: string
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  const opened = await openImportContext()
  ;({ ctx, connectionString } = opened)
  closers.push(opened.close)
})
afterAll(() => Promise.all(closers.map((close) => close())))

async function outputOf(child: ChildProcess, awaited: RegExp): Promise<void> {
  let output = ''
  if (!child.stdout) throw new Error('the import has no output')
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (awaited.test(output)) return
  }
  throw new Error(`the import ended early: ${output}`)
}

/** Temporary tables of ended sessions that the server has not dropped yet. */
async function stagedTables(): Promise<number> {
  for (let wait = 0; ; wait++) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_class where relname like 'staged_%'`.execute(ctx.db)
    const count = rows[0]?.count ?? 0
    if (count === 0 || wait === 100) return count
    await delay(50)
  }
}

const manyRecords = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    osvRecord({ id: `GHSA-${n}`, fixed: { [`name-${n % 500}`]: '1' } }),
  )

const manyCves = (count: number) =>
  nvdPage(Array.from({ length: count }, (_, n) => ({ id: `CVE-2026-${10_000 + n}` })))

it.each([
  ['reads and merges', 30_000, /merging piece 2 while reading/, manyCves],
  ['merges', 10_000, /merging/, manyRecords],
])(
  'that is killed while it %s leaves nothing, and the next one does it all',
  async (_, records, moment, given) => {
    const path = givenFolder({ 'records.json': given(records) })
    const child = spawn(process.execPath, [SCRIPT, connectionString, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await outputOf(child, moment)
    child.kill('SIGKILL')
    await once(child, 'exit')

    expect(await stagedTables()).toBe(0)
    expect((await knowledge(ctx.db)).advisories).toEqual([])
    const [imported] = await importFeeds(ctx, { path })
    expect(imported).toMatchObject({ added: records, unchanged: 0 })
  },
)

it('does its work once when two of the same files run at once', async () => {
  const path = givenFolder({
    'osv.jsonl': manyRecords(2_000),
    'nvd.json': nvdPage(Array.from({ length: 500 }, (_, n) => ({ id: `CVE-2026-${1_000 + n}` }))),
  })

  const both = await Promise.all([importFeeds(ctx, { path }), importFeeds(ctx, { path })])

  const sum = (source: string, count: 'added' | 'changed' | 'unchanged') =>
    both.flat().reduce((total, of) => total + (of.source === source ? of[count] : 0), 0)
  expect([sum('osv', 'added'), sum('osv', 'unchanged')]).toEqual([2_000, 2_000])
  expect([sum('nvd', 'added'), sum('nvd', 'unchanged')]).toEqual([500, 500])
  expect(both.flat().map(({ changed }) => changed)).toEqual([0, 0, 0, 0])
})

it('ends where two sources that name each other meet', async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `CVE-2026-${1_000 + n}`)
  const nvd = givenFolder({ 'nvd.json': nvdPage(ids.map((id) => ({ id, score: 9 }))) })
  const osv = givenFolder({
    'osv.jsonl': ids.map((id, n) => osvRecord({ id: `GHSA-${n}`, aliases: [id] })),
  })

  await Promise.all([importFeeds(ctx, { path: nvd }), importFeeds(ctx, { path: osv })])

  const { vulnerabilities, links } = await knowledge(ctx.db)
  expect(vulnerabilities).toHaveLength(300)
  expect(links).toHaveLength(600)
  for (const vulnerability of vulnerabilities)
    expect(vulnerability).toMatchObject({ primaryScore: 9 })
})
