/**
 * Times pages of findings of a portfolio by every sort and filter, through the real service (docs/design/budgets.md):
 * `node bench/findings-list.ts FOLDER`, the folder of `bench/portfolio.ts`.
 */
import { join } from 'node:path'
import { SORT_COLUMNS } from '../server/src/features/findings/schemas.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { readBenchArguments } from './bench-arguments.ts'
import { declarePortfolio } from './portfolio-folder.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const PAGES = 30
const BUDGET_MS = 50
const VERSIONS_BUDGET_MS = 250

const FILTERS: Record<string, object> = {
  'no filter': {},
  severities: { severities: ['Critical', 'High'] },
  assessments: { assessments: ['NotAssessed', 'InTriage'] },
  ignored: { ignored: false },
  knownCisaExploit: { knownCisaExploit: true },
  'name: kernel': { name: [{ contains: 'kernel' }] },
  'name: no such': { name: [{ contains: 'zzzzzz' }] },
  components: { components: [{ packageName: 'linux_kernel' }] },
}

const { portfolio } = readBenchArguments({ portfolio: declarePortfolio() })
const { folder, workspaceId, apiKey, versions, kernelVersions } = portfolio
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})

const timed = createTimedRequest({ url: service.url, workspaceId, apiKey })

/** Every tenth requested version has a kernel, as in the portfolio. */
const pick = (index: number) =>
  (index % 10 === 0
    ? kernelVersions[(index * 7) % kernelVersions.length]
    : versions[(index * 7919) % versions.length]) ?? ''

async function pages(of: (index: number) => string, body: object): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < PAGES; index++) {
    const path = `/firmware-versions/${of(index)}/vulnerability-findings/list`
    const [time, text] = await timed('POST', path, { limit: 100, ...body })
    times.push(time)
    // The next page is timed too.
    const { nextCursor } = JSON.parse(text) as { nextCursor?: string }
    if (nextCursor !== undefined)
      times.push((await timed('POST', path, { limit: 100, ...body, cursor: nextCursor }))[0])
  }
  return times
}

const kernels = (index: number) => kernelVersions[(index * 7) % kernelVersions.length] ?? ''

const table: ReturnType<typeof formatTimes>[] = []
try {
  await pages(pick, {})
  for (const sortColumn of SORT_COLUMNS)
    table.push(formatTimes(`by ${sortColumn}`, await pages(pick, { sortColumn }), BUDGET_MS))
  for (const [name, filter] of Object.entries(FILTERS))
    table.push(formatTimes(name, await pages(pick, { filter }), BUDGET_MS))
  for (const sortColumn of SORT_COLUMNS)
    table.push(
      formatTimes(
        `with a kernel, by ${sortColumn}`,
        await pages(kernels, { sortColumn }),
        BUDGET_MS,
      ),
    )
  for (const [name, filter] of Object.entries(FILTERS))
    table.push(formatTimes(`with a kernel, ${name}`, await pages(kernels, { filter }), BUDGET_MS))
  const repeated = async (count: number, call: (index: number) => Promise<[number, string]>) => {
    const times: number[] = []
    for (let index = 0; index < count; index++) times.push((await call(index))[0])
    return times
  }
  const summaries = (index: number) =>
    timed('GET', `/firmware-versions/${pick(index)}/vulnerability-findings/summary`)
  table.push(formatTimes('summary', await repeated(PAGES, summaries), BUDGET_MS))
  const [, vulnerable] = await timed('GET', '/vulnerable-firmware-versions')
  const size = `${(JSON.parse(vulnerable) as unknown[]).length} versions, ${(vulnerable.length / 1e6).toFixed(1)} MB`
  const all = await repeated(20, () => timed('GET', '/vulnerable-firmware-versions'))
  table.push(formatTimes(`vulnerable-firmware-versions, ${size}`, all, VERSIONS_BUDGET_MS))
} finally {
  console.table(table)
  await endProcess(service.child, 'SIGTERM')
}
