/**
 * Times a new, small workspace beside a large one in the same database, which the planner knows only once it is told
 * (decision 42): `node bench/new-workspace.ts FOLDER`, the folder of `bench/portfolio.ts`. Eight SBOMs of 3,000 components
 * until their findings, then the lists over that workspace in every order. The workspace is deleted afterwards.
 */
import { join } from 'node:path'
import { WORKSPACE_SORT_COLUMNS } from '../server/src/features/findings/schemas.ts'
import { COMPONENT_SORT_COLUMNS } from '../server/src/features/vulnerabilities/components/schemas.ts'
import { VULNERABILITY_SORT_COLUMNS } from '../server/src/features/vulnerabilities/schemas.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  startServiceProcess,
} from '../server/test/service-process.ts'
import { readBenchArguments } from './bench-arguments.ts'
import { keepFigure } from './figures.ts'
import { ingest, readProducts, writeSbom } from './ingested-sboms.ts'
import { computePercentile, declarePortfolio } from './portfolio-folder.ts'
import { createTimedRequest } from './timed-requests.ts'
import { findMax } from '../server/src/formats/extremes.ts'

const SBOMS = 8
const COMPONENTS = 3_000
const TIMES = 5
const LISTS = [
  { path: '/vulnerability-findings/list', columns: WORKSPACE_SORT_COLUMNS },
  { path: '/vulnerabilities/list', columns: VULNERABILITY_SORT_COLUMNS },
  { path: '/vulnerable-components/list', columns: COMPONENT_SORT_COLUMNS },
]
/** What the portal asks at first; a filter whose rows no index holds; a name that is looked for. */
const FILTERS = {
  'to decide': { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] },
  'not ignored': { ignored: false },
  'name: overflow': { name: [{ contains: 'overflow' }] },
}

const REQUESTS = LISTS.flatMap(({ path, columns }) =>
  Object.entries(FILTERS).flatMap(([name, filter]) =>
    columns.map((sortColumn) => ({
      what: `${path}, ${name}, ${sortColumn}`,
      path,
      body: { limit: 100, sortColumn, filter },
    })),
  ),
)

const { portfolio } = readBenchArguments({ portfolio: declarePortfolio() })
const settings = {
  dataDir: join(portfolio.folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
}
const products = await readProducts(join(portfolio.folder, 'feeds'))
const service = await startServiceProcess(settings)
const name = `New ${crypto.randomUUID()}`
const { stdout } = await runAdmin(
  settings,
  'bootstrap',
  '--workspace',
  name,
  '--owner',
  'new@example.com',
  '--json',
)
const created = JSON.parse(stdout) as { workspaceId: string; apiKey: string }
const workspace = { url: service.url, ...created }
const timed = createTimedRequest(workspace)

/** Once to warm up, and then in milliseconds. */
async function timesOf(path: string, body: object): Promise<number[]> {
  await timed('POST', path, body)
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) times.push((await timed('POST', path, body))[0])
  return times
}

try {
  const findings: number[] = []
  for (let index = 0; index < SBOMS; index++) {
    const one = await ingest(workspace, writeSbom({ components: COMPONENTS, products, index }))
    console.log(`SBOM ${index + 1}: ${one.findings.toFixed(2)} s, ${one.count} findings`)
    findings.push(one.findings)
  }
  const median = computePercentile(findings, 0.5)
  console.log(`findings, median ${median.toFixed(2)} s (budget 2 s)`)
  keepFigure({ what: 'findings, median', value: median, unit: 's', most: 2 })
  keepFigure({
    what: 'findings, slowest',
    value: findMax(findings),
    unit: 's',
    most: undefined,
  })

  const lists: { what: string; ms: number }[] = []
  for (const { what, path, body } of REQUESTS)
    lists.push({ what, ms: computePercentile(await timesOf(path, body), 0.95) })
  const slowest = lists.toSorted((a, b) => b.ms - a.ms)
  console.log(`slowest of ${lists.length} lists, p95 of ${TIMES} requests (budget 150 ms):`)
  for (const { what, ms } of slowest.slice(0, 5)) console.log(`${what}: ${ms.toFixed(0)} ms`)
  keepFigure({
    what: `slowest of ${lists.length} lists, p95`,
    value: slowest[0]?.ms ?? 0,
    unit: 'ms',
    most: 150,
  })
} finally {
  await runAdmin(settings, 'workspace', 'delete', created.workspaceId, '--name', name)
  await endProcess(service.child, 'SIGTERM')
}
