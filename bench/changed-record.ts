/**
 * Times a record from its change at the source until it is true in 100 versions of 100 components each, through the real service
 * and the operator's `feeds sync` (docs/design/budgets.md): `node bench/changed-record.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startFeedServer } from '../server/test/feed-server.ts'
import { type OsvRecord, publishOsv } from '../server/test/given-publishers.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceSettings,
  startServiceProcess,
} from '../server/test/service-process.ts'
import { keepFigure } from './figures.ts'
import { createTimedRequest } from './timed-requests.ts'

const VERSIONS = 100
const COMPONENTS = 100
const CHANGES = 6
const BUDGET_SECONDS = 3

const names = Array.from({ length: COMPONENTS }, (_, index) => `part-${index}`)

/** One record about all components, which are 1.0.0. */
function writeRecord(day: number, fixed: string): OsvRecord {
  const affected = names.map((name) => ({
    package: { ecosystem: 'npm', name },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
  }))
  const modified = `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`
  return { id: 'GHSA-2222-3333-4444', aliases: ['CVE-2026-1000'], modified, affected }
}

function writeSbom(): FormData {
  const components = names.map((name) => {
    const purl = `pkg:npm/${name}@1.0.0`
    return { type: 'library', name, version: '1.0.0', purl }
  })
  const form = new FormData()
  const bom = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components })
  form.append('file', new Blob([bom]), 'bom.json')
  return form
}

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'))
const publisher = await startFeedServer()
publishOsv(publisher, 'npm', [writeRecord(1, '0.5.0')])
const settings: ServiceSettings = {
  dataDir,
  port: await freePort(),
  managementPort: await freePort(),
  env: { PLIMSOLL_FEED_OSV_URL: `${publisher.url}/osv`, PLIMSOLL_FEED_OSV_ECOSYSTEMS: 'npm' },
}
const service = await startServiceProcess(settings)
const { stdout } = await runAdmin(
  settings,
  'bootstrap',
  '--workspace',
  'Bench',
  '--owner',
  'a@example.com',
  '--json',
)
const workspace = JSON.parse(stdout) as { workspaceId: string; apiKey: string }
const timed = createTimedRequest({ url: service.url, ...workspace })

async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  return JSON.parse((await timed(method, path, body))[1]) as Answer
}

async function sync(): Promise<void> {
  const { code, stdout: out, stderr } = await runAdmin(settings, 'feeds', 'sync', 'osv')
  if (code !== 0) throw new Error(`${out}${stderr}`)
}

async function createVersion(firmwareId: string, name: string): Promise<string> {
  const { id } = await send<{ id: string }>('POST', `/firmwares/${firmwareId}/versions`, { name })
  const path = `/workspaces/${workspace.workspaceId}/firmware-versions/${id}/sboms`
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: writeSbom() })
  if (answer.status !== 202) throw new Error(await answer.text())
  type Sboms = { sboms: { vulnerabilitiesParsedAt: string | null }[] }
  const isMatched = ({ sboms }: Sboms) =>
    sboms.every(({ vulnerabilitiesParsedAt: at }) => at !== null)
  while (!isMatched(await send<Sboms>('GET', `/firmware-versions/${id}/sboms`))) await delay(50)
  return id
}

/** Whether the version shows so many findings, in its list as in its counters. */
async function hasFindings(versionId: string, count: number): Promise<boolean> {
  const path = `/firmware-versions/${versionId}/vulnerability-findings`
  const list = await send<{ findings: unknown[] }>('POST', `${path}/list`, { limit: COMPONENTS })
  const counted = await send<{ totalActiveIssues: number }>('GET', `${path}/summary`)
  return list.findings.length === count && counted.totalActiveIssues === count
}

/** When all were true: a version that is found true at once does not move the time, as reading all takes longer than a match. */
async function waitForAll(versions: readonly string[], count: number, elapsed: () => number) {
  let trueAt: number | undefined
  for (const version of versions) {
    while (!(await hasFindings(version, count))) {
      trueAt = undefined
      await delay(10)
    }
    trueAt ??= elapsed()
  }
  return trueAt ?? elapsed()
}

async function measure(versions: readonly string[], change: number): Promise<void> {
  const [fixed, count] = change % 2 === 0 ? ['2.0.0', COMPONENTS] : ['0.5.0', 0]
  const changedAt = performance.now()
  const elapsed = () => (performance.now() - changedAt) / 1000
  publishOsv(publisher, 'npm', [writeRecord(2 + change, fixed)])
  const asked = publisher.requests.length
  let fetched: number | undefined
  const watch = setInterval(() => {
    if (publisher.requests.length > asked) fetched ??= elapsed()
  }, 5)
  await sync()
  clearInterval(watch)
  const imported = elapsed()
  const value = await waitForAll(versions, count, elapsed)
  keepFigure({ what: 'changed record', value, unit: 's', most: BUDGET_SECONDS })
  console.log(
    `${value.toFixed(2)} s (budget ${BUDGET_SECONDS} s): the source is asked after ${fetched?.toFixed(2)} s, the record is ` +
      `imported after ${imported.toFixed(2)} s; all lists and counters are true after the match`,
  )
}

try {
  await sync()
  const firmware = await send<{ id: string }>('POST', '/firmwares', { slug: 'bench' })
  const versions: string[] = []
  for (let index = 0; index < VERSIONS; index += 1)
    versions.push(await createVersion(firmware.id, `1.${index}`))
  for (let change = 0; change < CHANGES; change += 1) await measure(versions, change)
} finally {
  await endProcess(service.child, 'SIGTERM')
  await publisher.close()
  rmSync(dataDir, { recursive: true, force: true })
}
