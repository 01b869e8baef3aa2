/** All places that tell how a source is say the same of it: the table in docs/guide/feeds.md. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { givenProduct } from '../../server/test/given-findings.ts'
import { givenFleet } from '../../server/test/given-fleet.ts'
import { SHALLOW } from '../../server/test/doctor.ts'
import { runAdmin } from '../../server/test/service-process.ts'
import { reportSourceHealth, sourceChecks } from '../../server/src/features/feeds/index.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

const STATES = {
  kev: ['Current', 'current'],
  osv: ['Stale', 'stale'],
  nvd: ['NeverRead', 'never read'],
  euvd: ['Off', 'off'],
} as const
const SOURCES = Object.keys(STATES) as (keyof typeof STATES)[]
const WORDS = Object.fromEntries(SOURCES.map((source) => [source, STATES[source][1]]))

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
let cveId: string
let workspace: Awaited<ReturnType<typeof givenFleet>>

beforeAll(async () => {
  service = await startService({ withWorker: false })
  workspace = await givenFleet(service, 1)
  environment = service.environmentOf(workspace.client)
  const { cveIds } = await givenProduct(service.ctx, ['High'])
  cveId = cveIds[0] ?? ''
  await service.ctx.db.deleteFrom('vulnerabilitySources').execute()
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const read = [
    { source: 'kev', lastSuccessAt: ago(0) },
    { source: 'osv', lastSuccessAt: ago(3) },
  ]
  await service.ctx.db.insertInto('vulnerabilitySources').values(read).execute()
})

const plimsoll = async (...args: string[]) => {
  const { stdout, stderr, exitCode } = await runPlimsoll(environment, args)
  return { text: stdout + stderr, exitCode }
}

function admin(...args: string[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-sources-'))
  const env = { DATABASE_URL: service.connectionString }
  return runAdmin({ dataDir, port: 0, managementPort: 0, env }, ...args)
}

/** What a text says of each source, on the line that names it. */
function readWords(text: string, line: (source: string) => RegExp) {
  return Object.fromEntries(
    SOURCES.map((source) => [source, line(source).exec(text)?.[1]?.toLowerCase()]),
  )
}

const WORD = '(current|stale|never read|off)'

interface Answer {
  sources: { source: string; state: string; isStale: boolean }[]
}

it.each([
  ['the sources', (id: string) => `/workspaces/${id}/vulnerability-sources`],
  ['the overview', (id: string) => `/workspaces/${id}/overview`],
  ['a vulnerability', (id: string) => `/workspaces/${id}/vulnerabilities/${cveId}`],
])('%s of the API', async (_place, path) => {
  const url = service.url + path(workspace.workspaceId)
  const headers = { authorization: `Bearer ${environment['PLIMSOLL_API_KEY'] ?? ''}` }
  const body = (await (await fetch(url, { headers })).json()) as Answer & { lookedAt?: Answer }

  const { sources } = body.lookedAt ?? body

  for (const source of SOURCES)
    expect(sources.find((one) => one.source === source)).toMatchObject({
      state: STATES[source][0],
      isStale: source === 'osv' || source === 'nvd',
    })
})

it('the ready answer and the metrics', async () => {
  const { describe, gauges } = reportSourceHealth(service.ctx)

  const told = (await describe()) as Record<string, { status: string }>
  const stale = gauges.find(({ name }) => name.endsWith('_stale'))

  for (const source of SOURCES) expect(told[source]?.status).toBe(WORDS[source])
  const values = await stale?.values()
  expect(values?.filter(({ value }) => value === 1).map(({ labels }) => labels['source'])).toEqual(
    expect.arrayContaining(['osv', 'nvd']),
  )
  expect(values).toContainEqual({ labels: { source: 'euvd' }, value: 0 })
})

it('plimsoll-admin status and feeds status', async () => {
  const status = await admin('status')
  const feeds = await admin('feeds', 'status')

  expect(readWords(status.stdout, (source) => RegExp(`^. ${source}: +${WORD}`, 'm'))).toEqual(WORDS)
  expect(status.stdout).toMatch(/^! osv:/m)
  expect(status.stdout).toMatch(/^! nvd:/m)
  expect(status.stdout).toMatch(/^ {2}euvd:/m)
  expect(readWords(feeds.stdout, (source) => RegExp(`^${source}: ${WORD}`, 'im'))).toEqual(WORDS)
  expect([status.code, feeds.code]).toEqual([1, 1])
})

it('the doctor, which takes what nobody fetches for no fault', async () => {
  const [check] = sourceChecks

  const found = await check?.find(service.ctx, SHALLOW)

  expect(found?.faults).toEqual(['osv: stale, last complete 72 hours ago'])
  expect(found?.notJudged).toContain('nvd: never read, and not fetched')
  expect(found?.notJudged).toContain('euvd: off, and not fetched')
})

it('plimsoll source list and status', async () => {
  const list = await plimsoll('source', 'list')
  const status = await plimsoll('status', '--exit-code')

  expect(readWords(list.text, (source) => RegExp(`^${source} +${WORD}`, 'm'))).toEqual(WORDS)
  expect(status.text).toMatch(/1 current; STALE: osv .*; NEVER READ: .*nvd.*; off: .*euvd/)
  expect(status.exitCode).toBe(5)
})

it('plimsoll findings check, unless it is told another age', async () => {
  const check = (...args: string[]) => plimsoll('findings', 'check', 'gateway@1.0', ...args)
  const required = ['--sources', SOURCES.join(',')]

  const own = await check(...required)
  const lenient = await check('--sources', 'osv', '--max-source-age', '7')

  expect(own.text).not.toMatch(/source kev/)
  expect(own.text).toContain('The source osv was last read completely 3 days ago')
  expect(own.text).toContain('The source nvd was never read completely.')
  expect(own.text).toContain('The source euvd was never read completely. It is off.')
  expect(lenient.text).not.toContain('The source osv')
})
