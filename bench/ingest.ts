/**
 * Times an upload until its inventory and its findings, through the real service (docs/design/budgets.md).
 * `node bench/ingest.ts [folder of advisories to import first]`
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
import { optionalPathArgument, readBenchArguments } from './bench-arguments.ts'
import { generateSbom } from './generated-sboms.ts'
import { keepFigure } from './figures.ts'

const REPETITIONS = 5
const ROWS = [
  { components: 3_000, inventoryBudget: undefined, findingsBudget: 2 },
  { components: 20_000, inventoryBudget: 5, findingsBudget: 15 },
]

const { advisories } = readBenchArguments({ advisories: optionalPathArgument() })
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

/** Seconds from the start of the upload to the inventory and to the findings. */
async function ingest(bytes: Buffer): Promise<{ inventory: number; findings: number }> {
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
    if (sbom?.vulnerabilitiesParsedAt) return { inventory, findings: now }
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
    // Other packages each time, so that nothing is matched already.
    const text = generateSbom('CycloneDxJson', { components, edges: components * 3 })
    results.push(
      await ingest(Buffer.from(text.replaceAll('package-', `p${process.pid}-${index}-`))),
    )
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
  })
}
console.table(table)

await delay(35_000)
const after = residentMebibytes()
keepFigure({ what: 'start with data', value: secondStart / 1000, unit: 's', most: 3 })
keepFigure({ what: 'idle memory', value: idle, unit: 'MiB', most: 200 })
keepFigure({ what: 'memory half a minute after the load', value: after, unit: 'MiB', most: 250 })
console.log(
  `first start to ready ${(firstStart / 1000).toFixed(2)} s; with data ${(secondStart / 1000).toFixed(2)} s (budget 3 s)`,
)
console.log(
  `idle RSS ${idle.toFixed(0)} MiB (budget 200 MiB); ${after.toFixed(0)} MiB half a minute after the load`,
)
await endProcess(service.child, 'SIGTERM')
rmSync(dataDir, { recursive: true, force: true })
