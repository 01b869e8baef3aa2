/**
 * Times an upload until its inventory and its findings, through the real service (docs/design/budgets.md).
 * `node bench/ingest.ts [folder of advisories to import first]`: `feeds` of a portfolio, whose products a tenth of the components
 * then are.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceSettings,
  startServiceProcess,
} from '../server/test/service-process.ts'
import { declareOptionalPath, readBenchArguments } from './bench-arguments.ts'
import { keepFigure } from './figures.ts'
import { ingest, readProducts, writeSbom } from './ingested-sboms.ts'

const REPETITIONS = 5
const ROWS = [
  { components: 3_000, inventoryBudget: undefined, findingsBudget: 2 },
  { components: 20_000, inventoryBudget: 5, findingsBudget: 15 },
]

const { advisories } = readBenchArguments({ advisories: declareOptionalPath() })
const products = await readProducts(advisories)
const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'))
const settings: ServiceSettings = {
  dataDir,
  port: await freePort(),
  managementPort: await freePort(),
}
const startedAt = performance.now()
const first = await startServiceProcess(settings)
const firstStart = performance.now() - startedAt
await endProcess(first.child, 'SIGTERM')
const again = performance.now()
const service = await startServiceProcess(settings)
const secondStart = performance.now() - again

function residentMebibytes(): number {
  const status = readFileSync(`/proc/${service.child.pid ?? 0}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

await delay(15_000)
const idle = residentMebibytes()

const { stdout } = await runAdmin(
  settings,
  'bootstrap',
  '--workspace',
  'Bench',
  '--owner',
  'a@example.com',
  '--json',
)
const created = JSON.parse(stdout) as { workspaceId: string; apiKey: string }
const workspace = { url: service.url, ...created }
if (advisories !== undefined) {
  const imported = await runAdmin(settings, 'feeds', 'import', advisories)
  console.log(imported.stdout || imported.stderr)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const seconds = (value: number, budget: number | undefined) =>
  `${value.toFixed(2)} s${budget === undefined ? '' : ` (budget ${budget} s)`}`

const table = []
for (const { components, inventoryBudget, findingsBudget } of ROWS) {
  const results = []
  for (let index = 0; index < REPETITIONS; index += 1) {
    results.push(await ingest(workspace, writeSbom({ components, products, index })))
  }
  const keep = (what: string, values: number[], most: number | undefined) =>
    keepFigure({
      what: `${components} components, ${what}`,
      value: median(values),
      unit: 's',
      most,
    })
  keep(
    'inventory',
    results.map(({ inventory }) => inventory),
    inventoryBudget,
  )
  keep(
    'findings',
    results.map(({ findings }) => findings),
    findingsBudget,
  )
  table.push({
    components,
    inventory: seconds(median(results.map(({ inventory }) => inventory)), inventoryBudget),
    findings: seconds(median(results.map(({ findings }) => findings)), findingsBudget),
    'findings of each': median(results.map(({ count }) => count)),
  })
}
console.table(table)

await delay(60_000)
const after = residentMebibytes()
keepFigure({ what: 'start with data', value: secondStart / 1000, unit: 's', most: 3 })
keepFigure({ what: 'idle memory', value: idle, unit: 'MiB', most: 200 })
keepFigure({ what: 'memory a minute after the load', value: after, unit: 'MiB', most: 250 })
console.log(
  `first start to ready ${(firstStart / 1000).toFixed(2)} s; with data ${(secondStart / 1000).toFixed(2)} s (budget 3 s)`,
)
console.log(
  `idle RSS ${idle.toFixed(0)} MiB (budget 200 MiB); ${after.toFixed(0)} MiB a minute after the load`,
)
await endProcess(service.child, 'SIGTERM')
rmSync(dataDir, { recursive: true, force: true })
