/**
 * Times the lists over a workspace, by finding and grouped by vulnerability, in every order and with every filter, through
 * the real service (docs/design/budgets.md): `node bench/workspace-lists.ts FOLDER [times]`, the folder of
 * `bench/portfolio.ts`. Each combination is asked `times` times (default 20) for its first page of 100, which counts all
 * rows too. A row of the tables is a filter, with the 95th percentile of each order and the processor time of the database
 * for one request. The rows over the budget are named at the end.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE_SORT_COLUMNS } from '../server/src/features/findings/assessment.ts'
import { VULNERABILITY_SORT_COLUMNS } from '../server/src/features/vulnerabilities/sort-columns.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { percentile, portfolioArgument } from './portfolio-folder.ts'
import { timedRequests } from './timed-requests.ts'

const BUDGET_MS = 150

const FILTERS: Record<string, object> = {
  'no filter': {},
  severities: { severities: ['Critical', 'High'] },
  confidences: { confidences: ['High'] },
  active: { activeOnly: true },
  'open assessments': { assessments: ['NotAssessed', 'InTriage'] },
  exploitable: { assessments: ['Exploitable'] },
  'not ignored': { ignored: false },
  ignored: { ignored: true },
  recheck: { recheck: true },
  knownCisaExploit: { knownCisaExploit: true },
  detectedSince: { detectedSince: new Date(Date.now() - 30 * 86_400_000).toISOString() },
  'name: kernel': { name: [{ contains: 'kernel' }] },
  'name: overflow': { name: [{ contains: 'overflow' }] },
  'name: no such': { name: [{ contains: 'zzzzzz' }] },
  component: { components: [{ packageName: 'linux_kernel' }] },
  cveIds: { cveIds: ['CVE-2024-26581', 'CVE-2023-0001'] },
  affectedDevicesOnly: { affectedDevicesOnly: true },
}

const { portfolio, times } = readBenchArguments({
  portfolio: portfolioArgument(),
  times: countArgument(20),
})
const { folder, workspaceId, apiKey } = portfolio
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
const timed = timedRequests({ url: service.url, workspaceId, apiKey })

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

interface Measured {
  what: string
  median: number
  p95: number
  /** Milliseconds of one request. */
  database: number
}

async function measure(what: string, path: string, body: object): Promise<Measured> {
  const before = databaseSeconds()
  const measured: number[] = []
  for (let index = 0; index < times; index++)
    measured.push((await timed('POST', path, { limit: 100, ...body }))[0])
  return {
    what,
    median: percentile(measured, 0.5),
    p95: percentile(measured, 0.95),
    database: ((databaseSeconds() - before) * 1_000) / times,
  }
}

const all: Measured[] = []
const isOver = ({ p95 }: Measured) => p95 > BUDGET_MS
const shown = (one: Measured) =>
  `${one.p95.toFixed(0)} (${one.database.toFixed(0)})${isOver(one) ? ' !' : ''}`

/** A line a filter, written as soon as it is measured; then the worst of each order. */
async function table(title: string, path: string, columns: readonly string[]): Promise<void> {
  console.log(
    `\n${title}: p95 in ms, budget ${BUDGET_MS} ms (database, mean in ms); ! is over the budget`,
  )
  console.log(['filter', ...columns, 'worst'].join(' | '))
  const rows = [
    ...Object.entries(FILTERS).map(([name, filter]) => ({ name, body: { filter } })),
    { name: 'ascending', body: { ascending: true } },
  ]
  const worst = columns.map(() => 0)
  for (const { name, body } of rows) {
    const cells: Measured[] = []
    for (const sortColumn of columns)
      cells.push(await measure(`${title}, ${name}, ${sortColumn}`, path, { sortColumn, ...body }))
    all.push(...cells)
    for (const [index, { p95 }] of cells.entries()) worst[index] = Math.max(worst[index] ?? 0, p95)
    const worstOfRow = Math.max(...cells.map(({ p95 }) => p95))
    console.log([name, ...cells.map(shown), worstOfRow.toFixed(0)].join(' | '))
  }
  console.log(['worst', ...worst.map((ms) => ms.toFixed(0))].join(' | '))
}

/** The first request reads the facts of all versions that devices run, and a cold disk may take longer than a request may. */
async function warmUp(): Promise<void> {
  for (const isLast of [false, false, false, true])
    try {
      await measure('', '/vulnerability-findings/list', {})
      return
    } catch (error) {
      if (isLast) throw error
      console.log('reading from a cold disk')
    }
}

try {
  const began = performance.now()
  await warmUp()
  await table('By finding', '/vulnerability-findings/list', WORKSPACE_SORT_COLUMNS)
  await table('By vulnerability', '/vulnerabilities/list', VULNERABILITY_SORT_COLUMNS)
  const over = all.filter(isOver)
  console.log(
    `\n${over.length} of ${all.length} combinations over ${BUDGET_MS} ms, ${times} requests each, in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  )
  for (const { what, median, p95, database } of over.toSorted((a, b) => b.p95 - a.p95))
    console.log(
      `${what}: median ${median.toFixed(0)}, p95 ${p95.toFixed(0)}, database ${database.toFixed(0)} ms`,
    )
} finally {
  await endProcess(service.child, 'SIGTERM')
}
