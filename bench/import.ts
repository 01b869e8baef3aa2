/**
 * Times full imports of the CVE List and of NVD through the operator's command on the embedded database
 * (docs/design/budgets.md): `node bench/import.ts [records per source]` (default 300000).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serviceEnvironment } from '../server/test/service-process.ts'
import { sharedData } from '../server/test/shared-data.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { generateCveList, generateNvd } from './generated-feeds.ts'

const BUDGET_SECONDS = 60
const BUDGET_MEBIBYTES = 400

const data = sharedData
if (data === undefined) throw new Error('The shared test data is needed: ../shared/data')
const at = (...names: string[]) => names.map((name) => join(data, name))
const { records: count } = readBenchArguments({ records: countArgument(300_000) })
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-import-'))
const admin = resolve(import.meta.dirname, '../server/src/admin.ts')

interface Measured {
  seconds: number
  /** The highest RSS of the process, without the database. */
  mebibytes: number
  answer: string
}

async function importPath(path: string): Promise<Measured> {
  const settings = { dataDir: join(folder, 'data'), port: 0, managementPort: 0 }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [admin, 'feeds', 'import', path, '--json'], {
    env: serviceEnvironment(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, peakKibibytes(child.pid))), 250)
  let answer = ''
  child.stdout.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
  })
  await once(child, 'close')
  clearInterval(watch)
  return { seconds: (performance.now() - startedAt) / 1000, mebibytes: peak / 1024, answer }
}

function peakKibibytes(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function report(name: string, { seconds, mebibytes, answer }: Measured): void {
  const scaled = (BUDGET_SECONDS * count) / 300_000
  console.log(
    `${name.padEnd(28)} ${seconds.toFixed(1).padStart(7)} s (budget ${scaled.toFixed(0)}) ` +
      `${Math.round(count / seconds)} records/s, ${Math.round(mebibytes)} MiB RSS (budget ${BUDGET_MEBIBYTES})`,
  )
  console.log(`  ${answer.trim()}`)
}

try {
  const cves = join(folder, 'cvelist')
  const nvd = join(folder, 'nvdcve-2.0.json')
  mkdirSync(cves)
  const sample = at('cve5/vulnrichment-sample.jsonl.gz', 'cve5/vulnrichment-firmware.jsonl.gz')
  const cveBytes = await generateCveList(
    [...sample, ...sample, ...at('cve5/linux-kernel-cna.jsonl.gz')],
    count,
    cves,
  )
  const nvdBytes = await generateNvd(
    at('nvd/nvd20-sample.jsonl.gz', 'nvd/nvd20-firmware.jsonl.gz'),
    count,
    nvd,
  )
  const size = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  console.log(`${count} records each: CVE List ${size(cveBytes)}, NVD ${size(nvdBytes)}`)
  report('CVE List, first', await importPath(cves))
  report('NVD, first', await importPath(nvd))
  report('CVE List, nothing new', await importPath(cves))
  report('NVD, nothing new', await importPath(nvd))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
