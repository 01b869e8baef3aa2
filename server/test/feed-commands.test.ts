/** The operator's commands on sources, as processes of their own. */
import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { type FeedServer, startFeedServer } from './feed-server.ts'
import { kevCatalogue } from './given-feeds.ts'
import { runAdmin } from './service-process.ts'

let server: FeedServer
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-commands-'))
const ids = Array.from({ length: 10 }, (_, n) => `CVE-2026-100${n}`)

beforeAll(async () => {
  server = await startFeedServer()
})
afterAll(() => server.close())

async function givenMachine() {
  const { connectionString } = await createTestDatabase()
  const env = {
    DATABASE_URL: connectionString,
    PLIMSOLL_FEEDS_SOURCES: 'kev',
    PLIMSOLL_FEED_KEV_URL: `${server.url}/kev.json`,
  }
  const settings = { dataDir: join(folder, 'data'), port: 0, managementPort: 0, env }
  return (...args: string[]) => runAdmin(settings, 'feeds', ...args)
}

it('fetch, show what was refused, accept it, and carry it to another machine', async () => {
  const feeds = await givenMachine()
  server.put('/kev.json', kevCatalogue(ids, '2026-08-01T00:00:00.000Z'))
  const first = await feeds('sync')
  server.put('/kev.json', kevCatalogue(ids.slice(0, 4), '2026-08-02T00:00:00.000Z'))
  const refused = await feeds('sync', 'kev')
  const status = await feeds('status')
  const accepted = await feeds('sync', 'kev', '--accept-smaller', '--json')
  const file = join(folder, 'knowledge.plimsoll')
  const bundle = await feeds('bundle', file, '--json')

  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^kev: complete: 1 part, 10 added/) as string,
  })
  expect(first.stderr).toContain('kev: fetching catalogue (1 of 1)')
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('holds 4 records, but 10 are known') as string,
  })
  // The other four never came.
  expect(status.code).toBe(1)
  expect(status.stdout).toMatch(
    /kev: current, complete .* 10 records, 0 skipped\n {2}last error: catalogue: The archive holds 4/,
  )
  expect(status.stdout).toContain('nvd: NEVER READ')
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    sources: [{ state: 'Succeeded', withdrawn: 6 }],
  })
  const { sha256, records } = JSON.parse(bundle.stdout) as { sha256: string; records: object }
  expect(records).toEqual({ kev: 4 })

  const isolated = await givenMachine()
  const wrong = await isolated('import', file, '--sha256', 'f'.repeat(64))
  const imported = await isolated('import', file, '--sha256', sha256, '--json')
  writeFileSync(`${file}.html`, '<html>Sign in</html>')
  const page = await isolated('import', `${file}.html`)

  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it was altered') as string,
  })
  expect(JSON.parse(imported.stdout)).toMatchObject({ sources: [{ source: 'kev', added: 4 }] })
  expect(page).toMatchObject({ code: 1, stderr: expect.stringContaining('markup') as string })
})

it('say which sources there are', async () => {
  const feeds = await givenMachine()

  const { code, stderr } = await feeds('sync', 'mitre')

  expect([code, stderr]).toEqual([
    1,
    'mitre is not a source. The sources are: kev, epss, cvelist, nvd, osv, csaf, euvd, endoflife.\n',
  ])
})

it('say where a bundle cannot be written', async () => {
  const feeds = await givenMachine()
  const file = join(folder, 'nowhere', 'knowledge.plimsoll')

  const { code, stderr } = await feeds('bundle', file)

  expect(code).toBe(1)
  expect(stderr).toBe(`${file} cannot be written: there is no such folder.\n`)
})

it('write a bundle to what a link names, and replace no pipe', async () => {
  const feeds = await givenMachine()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('kept'), 'before')
  symlinkSync(at('kept'), at('link'))
  execFileSync('mkfifo', [at('pipe')])

  const linked = await feeds('bundle', at('link'))
  const refused = await feeds('bundle', at('pipe'))
  symlinkSync(at('nothing'), at('broken'))
  const broken = await feeds('bundle', at('broken'))

  expect(linked.code).toBe(0)
  expect(readlinkSync(at('link'))).toBe(at('kept'))
  expect(readFileSync(at('kept')).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
  expect(refused).toMatchObject({
    code: 1,
    stderr: `${at('pipe')} is there already and is no file. Name a file to write.\n`,
  })
  expect(statSync(at('pipe')).isFIFO()).toBe(true)
  expect(broken).toMatchObject({
    code: 1,
    stderr: `${at('broken')} is a link to a file that is not there.\n`,
  })
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
})

it('name the first records that an import skips by line or number, and count the others', async () => {
  const feeds = await givenMachine()
  const lines = join(folder, 'osv.jsonl')
  const faulty = Array.from({ length: 24 }, (_, n) => `{"id":${n},"modified":"x"}`)
  writeFileSync(lines, `{"id":"GO-1","modified":"2026-01-01T00:00:00Z"}\n\n${faulty.join('\n')}\n`)
  const array = join(folder, 'osv.json')
  writeFileSync(array, `[{"id":"GO-2","modified":"2026-01-01T00:00:00Z"}, ${faulty[0] ?? ''}]`)

  const fromLines = await feeds('import', lines)
  const fromArray = await feeds('import', array)

  const named = fromLines.stdout.split('\n').filter((line) => line.startsWith('    '))
  expect(named).toHaveLength(21)
  expect(named[0]).toMatch(/osv\.jsonl, line 3: /)
  expect(named.at(-1)).toBe('    and 4 more')
  expect(fromArray.stdout).toMatch(/osv\.json, record 2: /)
  expect(fromArray.stdout).not.toContain('more')
})
