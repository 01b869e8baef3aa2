/**
 * Times the lists over a workspace, by finding and grouped by vulnerability, in every order and with every filter, through
 * the real service (docs/design/budgets.md): `node bench/workspace-lists.ts FOLDER [times]`, the folder of
 * `bench/portfolio.ts`. Each combination is asked `times` times (default 5); a row of the tables is a filter, with the
 * median and the 95th percentile of each order.
 */
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
  times: countArgument(5),
})
const { folder, workspaceId, apiKey } = portfolio
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
const timed = timedRequests({ url: service.url, workspaceId, apiKey })

async function measure(path: string, body: object): Promise<number[]> {
  const measured: number[] = []
  for (let index = 0; index < times; index++)
    measured.push((await timed('POST', path, { limit: 100, ...body }))[0])
  return measured
}

const shown = (measured: readonly number[]) => {
  const p95 = percentile(measured, 0.95)
  return `${percentile(measured, 0.5).toFixed(0)} / ${p95.toFixed(0)}${p95 > BUDGET_MS ? ' !' : ''}`
}

/** A line a filter, written as soon as it is measured. */
async function table(title: string, path: string, columns: readonly string[]): Promise<void> {
  console.log(`${title}: median / p95 in ms; ! is more than ${BUDGET_MS} ms`)
  console.log(['filter', ...columns].join(' | '))
  for (const [name, filter] of Object.entries(FILTERS)) {
    const cells: string[] = []
    for (const sortColumn of columns) cells.push(shown(await measure(path, { sortColumn, filter })))
    console.log([name, ...cells].join(' | '))
  }
  const ascending: string[] = []
  for (const sortColumn of columns)
    ascending.push(shown(await measure(path, { sortColumn, ascending: true })))
  console.log(['ascending', ...ascending].join(' | '))
}

try {
  await measure('/vulnerability-findings/list', {})
  await table('By finding', '/vulnerability-findings/list', WORKSPACE_SORT_COLUMNS)
  await table('By vulnerability', '/vulnerabilities/list', VULNERABILITY_SORT_COLUMNS)
} finally {
  await endProcess(service.child, 'SIGTERM')
}
