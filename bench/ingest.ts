/**
 * Times an upload until its inventory and its findings, through the real service (docs/design/budgets.md).
 * `node bench/ingest.ts [folder of advisories to import first]`: `feeds` of a portfolio, whose products a tenth of the components
 * then are.
 */
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
import { optionalPathArgument, readBenchArguments } from './bench-arguments.ts'
import { generateSbom } from './generated-sboms.ts'
import { keepFigure } from './figures.ts'

const REPETITIONS = 5
const ROWS = [
  { components: 3_000, inventoryBudget: undefined, findingsBudget: 2 },
  { components: 20_000, inventoryBudget: 5, findingsBudget: 15 },
]

const PRODUCTS = 2_000
const ONE_IN = 10

/** Products of the generated feed, as `vendor:product` of CPE names, evenly from all of it: the first have most records. */
async function readProducts(folder: string | undefined): Promise<string[]> {
  const file = folder === undefined ? '' : join(folder, 'nvdcve-2.0.json')
  if (!existsSync(file)) return []
  const found = new Set<string>()
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>)
    for (const [, product = ''] of chunk.matchAll(
      /"criteria":"cpe:2\.3:a:((?:[^:"\\]+):[^:"\\]+):/g,
    ))
      found.add(product)
  const all = [...found]
  const every = Math.max(1, Math.floor(all.length / PRODUCTS))
  return all.filter((_, index) => index % every === 0)
}

/** Other packages each time, so that nothing is matched already. */
function sbomOf(components: number, index: number): Buffer {
  let count = 0
  const text = generateSbom('CycloneDxJson', { components, edges: components * 3 })
    .replaceAll('package-', `p${process.pid}-${index}-`)
    .replaceAll(/(?<=cpe:2\.3:a:)[^:]+:[^:]+/g, (own) =>
      products.length > 0 && ++count % ONE_IN === 0
        ? (products[(count / ONE_IN) % products.length] ?? own)
        : own,
    )
  return Buffer.from(text)
}

const { advisories } = readBenchArguments({ advisories: optionalPathArgument() })
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
const { workspaceId, apiKey } = JSON.parse(stdout) as { workspaceId: string; apiKey: string }
if (advisories !== undefined) {
  const imported = await runAdmin(settings, 'feeds', 'import', advisories)
  console.log(imported.stdout || imported.stderr)
}

async function call<Answer>(method: string, path: string, body?: string | Buffer): Promise<Answer> {
  const response = await fetch(`${service.url}/workspaces/${workspaceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && {
        'content-type': path.includes('/sboms') ? 'application/octet-stream' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  return (await response.json()) as Answer
}

interface Listed {
  sboms: {
    parsingState: string
    parsingError: string | null
    vulnerabilitiesParsedAt: string | null
    componentCount: number
  }[]
}

interface Ingested {
  /** Seconds from the start of the upload. */
  inventory: number
  findings: number
  count: number
}

async function ingest(bytes: Buffer): Promise<Ingested> {
  const firmware = await call<{ id: string }>(
    'POST',
    '/firmwares',
    JSON.stringify({ slug: crypto.randomUUID() }),
  )
  const version = await call<{ id: string }>(
    'POST',
    `/firmwares/${firmware.id}/versions`,
    '{"name":"1"}',
  )
  const start = performance.now()
  await call('POST', `/firmware-versions/${version.id}/sboms?fileName=bench.json`, bytes)
  let inventory = 0
  for (;;) {
    const { sboms } = await call<Listed>('GET', `/firmware-versions/${version.id}/sboms`)
    const [sbom] = sboms
    if (sbom?.parsingState === 'Failed') throw new Error(sbom.parsingError ?? 'failed')
    const now = (performance.now() - start) / 1000
    if (sbom?.parsingState === 'Succeeded' && inventory === 0) inventory = now
    if (sbom?.vulnerabilitiesParsedAt) {
      const path = `/firmware-versions/${version.id}/vulnerability-findings/summary`
      const { totalActiveIssues } = await call<{ totalActiveIssues: number }>('GET', path)
      return { inventory, findings: now, count: totalActiveIssues }
    }
    await delay(100)
  }
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
    results.push(await ingest(sbomOf(components, index)))
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
