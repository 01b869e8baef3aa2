/**
 * Runs the benchmarks of docs/design/budgets.md one after the other, prints every figure beside its yardstick, and adds them to
 * `bench/history.jsonl`: `npm run bench -- [--folder FOLDER] [names]`. All of them take about an hour; nothing else should run.
 * Exit code 1: a yardstick is missed, 2: a benchmark failed.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figure, FIGURES_FILE, computeRatio } from './figures.ts'

const root = resolve(import.meta.dirname, '..')
const HISTORY = join(root, 'bench/history.jsonl')

const PORTFOLIO = 'portfolio'
/** By name: its arguments, `FOLDER` for that of the portfolio and `FOLDER/x` for one beside it or in it. */
const BENCHMARKS: Record<string, readonly string[]> = {
  parse: [],
  ingest: ['FOLDER/portfolio/feeds'],
  import: [],
  'findings-list': ['FOLDER'],
  'one-finding': ['FOLDER'],
  'changed-record': [],
  'fresh-version': [],
  'workspace-lists': ['FOLDER'],
  'new-workspace': ['FOLDER'],
  // After the lists, as they change hundreds of thousands of rows at once.
  match: ['FOLDER'],
  delta: ['FOLDER'],
  'affected-devices': ['FOLDER/devices'],
  'image-hashes': ['FOLDER/images'],
  'key-ages': ['FOLDER/keys'],
  'large-image': [],
  gateway: [],
  telemetry: [],
  logs: [],
  alerts: [],
  'accepted-risks': [],
  owners: [],
  evidence: [],
  comparison: [],
  'comparison-cost': [],
  'comparison-pass': [],
  crashes: [],
  fairness: [],
  portal: ['FOLDER'],
  'portal-fleet': ['FOLDER/fleet'],
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: join(root, '.plimsoll/bench') } },
})
const unknown = positionals.filter((name) => !(name in BENCHMARKS))
if (unknown.length > 0)
  throw new Error(
    `no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`,
  )
const chosen = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)
const folder = resolve(values.folder)
mkdirSync(folder, { recursive: true })

const isWithPortfolio = (name: string) =>
  BENCHMARKS[name]?.some((argument) => /^FOLDER($|\/portfolio)/.test(argument)) === true

function folderOf(text: string): string {
  return text === 'FOLDER' ? join(folder, PORTFOLIO) : text.replace('FOLDER', folder)
}

function runProgram(name: string, args: readonly string[], figures: string): boolean {
  const { status } = spawnSync(process.execPath, [`bench/${name}.ts`, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [FIGURES_FILE]: figures },
  })
  return status === 0
}

const git = (...args: string[]) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()

function describeMachine() {
  const [first] = cpus()
  return {
    processors: `${cpus().length} × ${first?.model ?? 'unknown'}`,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    load: Number(loadavg()[0]?.toFixed(1)),
  }
}

interface KeptFigure extends Figure {
  benchmark: string
  ratio: number | undefined
}

function measure(name: string): { kept: KeptFigure[]; isFailed: boolean } {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'))
  const figures = join(directory, 'figures.jsonl')
  console.log(`\n${name}`)
  // A benchmark that misses its yardstick ends with a code, too: it failed where it kept no figure.
  const isWell = runProgram(name, (BENCHMARKS[name] ?? []).map(folderOf), figures)
  const lines = existsSync(figures) ? readFileSync(figures, 'utf8').split('\n').slice(0, -1) : []
  rmSync(directory, { recursive: true })
  const kept = lines.map((line) => {
    const figure = JSON.parse(line) as Figure
    return { benchmark: name, ...figure, ratio: computeRatio(figure) }
  })
  const isMissed = kept.some(({ ratio = 0 }) => ratio > 1)
  return { kept, isFailed: kept.length === 0 || !(isWell || isMissed) }
}

const shown = (value: number) => Number(value.toPrecision(3)).toLocaleString('en')

function rowOf({ benchmark, what, value, unit, most, least, ratio }: KeptFigure) {
  const yardstick = most === undefined ? least && `≥ ${shown(least)}` : `≤ ${shown(most)}`
  return {
    benchmark,
    what,
    figure: `${shown(value)} ${unit}`,
    yardstick: yardstick === undefined ? '' : `${yardstick} ${unit}`,
    ratio: ratio === undefined ? '' : `${ratio.toFixed(2)}${ratio > 1 ? ' MISSED' : ''}`,
  }
}

if (chosen.some(isWithPortfolio) && !runProgram(PORTFOLIO, [join(folder, PORTFOLIO)], '/dev/null'))
  throw new Error('the portfolio could not be made')
const run = { at: new Date().toISOString(), commit: git('rev-parse', 'HEAD'), ...describeMachine() }
const all: KeptFigure[] = []
const failed: string[] = []
for (const name of chosen) {
  const { kept, isFailed } = measure(name)
  for (const each of kept) all.push(each)
  if (isFailed) failed.push(name)
  for (const figure of kept) appendFileSync(HISTORY, `${JSON.stringify({ ...run, ...figure })}\n`)
}
console.log(
  `\n${run.processors}, ${run.memoryGibibytes} GiB, Node ${run.node}, load before: ${run.load}`,
)
console.table(all.map(rowOf))
const missed = all.filter(({ ratio = 0 }) => ratio > 1)
const failures = failed.length > 0 ? `; FAILED: ${failed.join(', ')}` : ''
console.log(
  `${all.length} figures of ${chosen.length} benchmarks: ${missed.length} miss their yardstick${failures}`,
)
process.exitCode = failed.length > 0 ? 2 : missed.length > 0 ? 1 : 0
