/**
 * Times the lists over a workspace, by finding, grouped by vulnerability and by component, in every order and with every
 * filter, through the real service (docs/design/budgets.md): `node bench/workspace-lists.ts FOLDER [times]`, the folder of
 * `bench/portfolio.ts`. Each combination is asked once to warm up, then `times` times, for its first page of 100, which
 * counts all rows too: 5 times by default, which takes a few minutes; 20 for figures. A line of the tables is a
 * combination, with the processor time of the database for one request. The chips are asked with the usual filter of the
 * portal. The line before the last names the first request by risk of a new process. A third argument, `ssvc`, measures only the
 * combinations that have it in their names, and keeps no figure.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE_SORT_COLUMNS } from '../server/src/features/findings/schemas.ts'
import { COMPONENT_SORT_COLUMNS } from '../server/src/features/vulnerabilities/components/schemas.ts'
import {
  COUNTED_LISTS,
  VULNERABILITY_SORT_COLUMNS,
} from '../server/src/features/vulnerabilities/schemas.ts'
import { CHIPS } from '../server/src/features/vulnerabilities/chips.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, declareOnly, readBenchArguments } from './bench-arguments.ts'
import { computePercentile, declarePortfolio } from './portfolio-folder.ts'
import { createTimedRequest } from './timed-requests.ts'
import { keepFigure } from './figures.ts'

const BUDGET_MS = 200
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** What the findings page of the portal shows unless people ask for more. */
const TO_DECIDE = { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] }

const FILTERS: Record<string, object> = {
  'no filter': {},
  'to decide': TO_DECIDE,
  'to decide, exploited': { ...TO_DECIDE, exploited: true },
  'to decide, High or worse': { ...TO_DECIDE, severities: ['Critical', 'High'] },
  'to decide, new': { ...TO_DECIDE, detectedSince: daysAgo(1) },
  'to decide, overdue': { ...TO_DECIDE, overdue: true },
  'to decide, SSVC Attend or more urgent': { ...TO_DECIDE, ssvcFrom: 'Attend' },
  'to decide, on devices': { ...TO_DECIDE, affectedDevicesOnly: true },
  'to decide, name: kernel': { ...TO_DECIDE, name: [{ contains: 'kernel' }] },
  severities: { severities: ['Critical', 'High'] },
  confidences: { confidences: ['High'] },
  active: { activeOnly: true },
  'open assessments': { assessments: ['NotAssessed', 'InTriage'] },
  exploitable: { assessments: ['Exploitable'] },
  'not ignored': { ignored: false },
  ignored: { ignored: true },
  recheck: { recheck: true },
  knownCisaExploit: { knownCisaExploit: true },
  detectedSince: { detectedSince: daysAgo(30) },
  'name: kernel': { name: [{ contains: 'kernel' }] },
  'name: overflow': { name: [{ contains: 'overflow' }] },
  'name: no such': { name: [{ contains: 'zzzzzz' }] },
  component: { components: [{ packageName: 'linux_kernel' }] },
  cveIds: { cveIds: ['CVE-2024-26581', 'CVE-2023-0001'] },
  affectedDevicesOnly: { affectedDevicesOnly: true },
}

const { portfolio, times, only } = readBenchArguments({
  portfolio: declarePortfolio(),
  times: countArgument(5),
  only: declareOnly(),
})
const { folder, workspaceId, apiKey } = portfolio
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
const timed = createTimedRequest({ url: service.url, workspaceId, apiKey })

/** Seconds of processor time that all processes of the database took so far, with those that have ended. */
function databaseSeconds(): number {
  const [pid = ''] = readFileSync(
    join(folder, 'data/postgres/cluster/postmaster.pid'),
    'utf8',
  ).split('\n')
  const fieldsOf = (process: string) => {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  }
  const [ownTicks, endedTicks] = [
    [11, 12],
    [13, 14],
  ].map((places) => places.reduce((sum, place) => sum + Number(fieldsOf(pid)[place]), 0))
  let seconds = ((ownTicks ?? 0) + (endedTicks ?? 0)) / 100
  for (const process of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (fieldsOf(process)[1] !== pid) continue
      seconds += Number(readFileSync(`/proc/${process}/schedstat`, 'utf8').split(' ')[0]) / 1e9
    } catch {
      // It has ended meanwhile.
    }
  return seconds
}

interface ListMeasurement {
  what: string
  median: number
  p95: number
  /** Milliseconds of one request. */
  database: number
}

const ask = (path: string, body: object) => timed('POST', path, body)

/** A request that the service gave up counts as endless. */
async function askPatiently(path: string, body: object): Promise<number> {
  try {
    return (await ask(path, body))[0]
  } catch (error) {
    console.log(error instanceof Error ? error.message.slice(0, 200) : error)
    return Infinity
  }
}

async function measure(what: string, path: string, body: object): Promise<void> {
  if (only !== undefined && !what.toLowerCase().includes(only.toLowerCase())) return
  await askPatiently(path, body)
  const before = databaseSeconds()
  const measured: number[] = []
  for (let index = 0; index < times; index++) measured.push(await askPatiently(path, body))
  const database = ((databaseSeconds() - before) * 1_000) / times
  const one = {
    what,
    median: computePercentile(measured, 0.5),
    p95: computePercentile(measured, 0.95),
    database,
  }
  all.push(one)
  console.log(lineOf(one))
}

const all: ListMeasurement[] = []
const isOver = ({ p95 }: ListMeasurement) => p95 > BUDGET_MS
const lineOf = (one: ListMeasurement) =>
  [one.what, ...[one.median, one.p95, one.database].map((ms) => ms.toFixed(0))].join(' | ') +
  (isOver(one) ? ' | OVER' : '')

async function table(title: string, path: string, columns: readonly string[]): Promise<void> {
  console.log(`\n${title}, filter, order | p50 | p95 | database, mean`)
  const rows = [
    ...Object.entries(FILTERS).map(([name, filter]) => ({ name, body: { filter } })),
    { name: 'ascending', body: { ascending: true } },
  ]
  for (const { name, body } of rows)
    for (const sortColumn of columns)
      await measure(`${title}, ${name}, ${sortColumn}`, path, { limit: 100, sortColumn, ...body })
}

async function chips(): Promise<void> {
  console.log('\nchip | p50 | p95 | database, mean')
  for (const groupBy of COUNTED_LISTS)
    for (const chip of CHIPS) {
      const body = { groupBy, chips: [chip], filter: TO_DECIDE }
      await measure(`chip, ${groupBy}, ${chip}`, '/vulnerability-findings/counts', body)
    }
}

/** What the first requests cost, whose pages may have to be read from the disk. Devices may be counted in a job meanwhile. */
async function first(): Promise<number> {
  for (const isLast of [false, false, false, true])
    try {
      return (await ask('/vulnerabilities/list', { limit: 100 }))[0]
    } catch (error) {
      if (isLast) throw error
      console.log('reading from a cold disk')
    }
  return 0
}

try {
  const began = performance.now()
  const before = databaseSeconds()
  const firstMs = await first()
  const firstDatabaseMs = (databaseSeconds() - before) * 1_000
  await table('Findings', '/vulnerability-findings/list', WORKSPACE_SORT_COLUMNS)
  await table('Vulnerabilities', '/vulnerabilities/list', VULNERABILITY_SORT_COLUMNS)
  await table('Components', '/vulnerable-components/list', COMPONENT_SORT_COLUMNS)
  await chips()
  const over = all.filter(isOver).toSorted((a, b) => b.p95 - a.p95)
  if (only === undefined)
    keepFigure({
      what: `cells with p95 over ${BUDGET_MS} ms of ${all.length}`,
      value: over.length,
      unit: 'cells',
      most: 0,
    })
  if (over.length > 0) console.log(`\nOVER ${BUDGET_MS} ms | p50 | p95 | database, mean`)
  for (const one of over) console.log(lineOf(one))
  const overOfDatabase = all.filter(({ database }) => database > BUDGET_MS)
  console.log(
    `\nfirst request by risk: ${firstMs.toFixed(0)} ms, ${firstDatabaseMs.toFixed(0)} ms of the database's processor`,
  )
  console.log(
    `${all.length - over.length} of ${all.length} cells within ${BUDGET_MS} ms (${all.length - overOfDatabase.length} by the database's processor), ${times} requests each, in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  )
} finally {
  await endProcess(service.child, 'SIGTERM')
}
