/**
 * Times full imports of the CVE List and of NVD, and deltas after them, through the operator's command on the embedded
 * database (docs/design/budgets.md): `node bench/import.ts [records per source]` (default 300000). Below each import it
 * prints the processor seconds of the program and of the database, which other work on the machine hardly changes.
 * At last the service imports the CVE List by itself: its memory meanwhile and a minute later, and how long its progress
 * stood still.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serviceEnvironment } from '../server/test/service-process.ts'
import { sharedData } from '../server/test/shared-data.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { generateCveList, generateNvd, generateNvdDelta } from './generated-feeds.ts'
import { importInService } from './service-import.ts'
import type { ProgramTimes } from './statement-times.ts'
import { keepFigure } from './figures.ts'

const BUDGET_SECONDS = 60
const DELTA_BUDGET_SECONDS = 2
const DELTA_RECORDS = 500
const BUDGET_MEBIBYTES = 400
const LATER_BUDGET_MEBIBYTES = 250

const data = sharedData
if (data === undefined) throw new Error('The shared test data is needed: ../shared/data')
const at = (...names: string[]) => names.map((name) => join(data, name))
const { records: count } = readBenchArguments({ records: countArgument(300_000) })
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-import-'))
const admin = resolve(import.meta.dirname, '../server/src/admin.ts')

interface ImportMeasurement {
  seconds: number
  answer: string
  times: ProgramTimes
  /** Processor time of the children that parse records. */
  parserSeconds: number
}

async function importPath(path: string): Promise<ImportMeasurement> {
  const settings = { dataDir: join(folder, 'data'), port: 0, managementPort: 0 }
  const timesFile = join(folder, 'times.json')
  const preload = join(import.meta.dirname, 'statement-times.ts')
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [
      // As `npm run admin`.
      '--max-semi-space-size=8',
      '--no-incremental-marking',
      '--import',
      preload,
      ...profiling(),
      admin,
      'feeds',
      'import',
      path,
      '--json',
    ],
    {
      env: { ...serviceEnvironment(settings), PLIMSOLL_BENCH_TIMES: timesFile },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let answer = ''
  child.stdout.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
  })
  const parsers = new Map<string, number>()
  const watch = setInterval(() => {
    for (const [parser, spent] of secondsOfParsers(child.pid ?? 0)) parsers.set(parser, spent)
  }, 100)
  await once(child, 'close')
  clearInterval(watch)
  const seconds = (performance.now() - startedAt) / 1000
  const times = JSON.parse(readFileSync(timesFile, 'utf8')) as ProgramTimes
  const parserSeconds = [...parsers.values()].reduce((sum, spent) => sum + spent, 0)
  return { seconds, answer, times, parserSeconds }
}

/** By process. Linux, proc_pid_task(5) and proc_pid_schedstat(5), without their helper threads; empty while there is none. */
function secondsOfParsers(pid: number): [string, number][] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return children
      .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('record-process'))
      .map((child) => [child, schedSeconds(child)])
  } catch {
    // One has just ended.
    return []
  }
}

const schedSeconds = (pid: string) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9

/** `PLIMSOLL_BENCH_PROFILES=folder` writes a profile of each import there. */
function profiling(): string[] {
  const profiles = process.env['PLIMSOLL_BENCH_PROFILES']
  return profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
}

const SHOWN_STATEMENTS = 12

function report(
  name: string,
  { seconds, answer, times, parserSeconds }: ImportMeasurement,
  budget: number,
): void {
  const { statements, cpuSeconds, maxMebibytes } = times
  keepFigure({ what: name, value: seconds, unit: 's', most: budget })
  keepFigure({ what: `${name}, memory`, value: maxMebibytes, unit: 'MiB', most: BUDGET_MEBIBYTES })
  const database = statements.reduce((sum, statement) => sum + statement.cpuSeconds, 0)
  console.log(
    `${name.padEnd(24)} ${seconds.toFixed(1).padStart(7)} s (budget ${budget.toFixed(0)}), ` +
      `processor ${cpuSeconds.toFixed(1)} s + parser ${parserSeconds.toFixed(1)} s + database ${database.toFixed(1)} s, ` +
      `${Math.round(maxMebibytes)} MiB RSS (budget ${BUDGET_MEBIBYTES})`,
  )
  console.log(`  ${answer.trim()}`)
  const costly = statements.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
  for (const { statement, calls, cpuSeconds: cpu, seconds: wall } of costly.slice(
    0,
    SHOWN_STATEMENTS,
  ))
    console.log(
      `  ${cpu.toFixed(2).padStart(8)} s (wall ${wall.toFixed(2)}) ${String(calls).padStart(6)} × ${statement}`,
    )
}

const scaled = (BUDGET_SECONDS * count) / 300_000

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
  console.log(
    `${count} records each, real records repeated under other ids: CVE List ${size(cveBytes)}, NVD ${size(nvdBytes)}`,
  )
  const delta = join(folder, 'nvdcve-2.0-modified.json')
  await generateNvdDelta(nvd, Math.min(DELTA_RECORDS, count), delta)
  // Otherwise the disk writes what was generated while the import reads.
  execFileSync('sync')
  report('CVE List, first', await importPath(cves), scaled)
  report('NVD, first', await importPath(nvd), scaled)
  report('NVD, nothing new', await importPath(nvd), scaled)
  report('NVD, delta', await importPath(delta), DELTA_BUDGET_SECONDS)
  report('NVD, delta again', await importPath(delta), DELTA_BUDGET_SECONDS)
  report('CVE List, nothing new', await importPath(cves), scaled)
  rmSync(join(folder, 'data'), { recursive: true })
  const service = await importInService(join(folder, 'data'), cves)
  console.log(
    `CVE List, by the service ${service.seconds.toFixed(1).padStart(6)} s (budget ${scaled.toFixed(0)}), ` +
      `at most ${Math.round(service.peakMebibytes)} MiB RSS (budget ${BUDGET_MEBIBYTES}), ` +
      `${Math.round(service.laterMebibytes)} MiB a minute later (budget ${LATER_BUDGET_MEBIBYTES}); ` +
      `progress stood still for ${service.silenceSeconds.toFixed(1)} s at most`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
