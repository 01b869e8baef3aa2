/** `npm run simulate`: simulated devices; docs/guide/simulator.md lists the options. */
import { setTimeout as delay } from 'node:timers/promises'
import { CommanderError } from 'commander'
import { readSimulateCommand, type SimulateCommand } from './command.ts'
import { formatProgress, formatSummary } from './report.ts'
import { startSimulation } from './simulation.ts'

const LINE_EVERY_MS = 2_000
/** Time for messages under way at the end. */
const STOP_PATIENCE_MS = 5_000

async function simulate({ options, durationSeconds, isJson }: SimulateCommand): Promise<void> {
  const progress = isJson ? process.stderr : process.stdout
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.abort())
  const startedAt = performance.now()
  const secondsSince = () => (performance.now() - startedAt) / 1_000
  const simulation = startSimulation(options)
  while (!end.signal.aborted && secondsSince() < (durationSeconds ?? Number.POSITIVE_INFINITY)) {
    const leftMs = ((durationSeconds ?? Number.POSITIVE_INFINITY) - secondsSince()) * 1_000
    const waitMs = Math.min(LINE_EVERY_MS, leftMs)
    await delay(waitMs, undefined, { signal: end.signal }).catch(() => undefined)
    progress.write(`${formatProgress(secondsSince(), simulation.counts())}\n`)
  }
  const counts = simulation.counts()
  await Promise.race([simulation.stop(), delay(STOP_PATIENCE_MS)])
  process.stdout.write(isJson ? `${JSON.stringify(counts)}\n` : `\n${formatSummary(counts)}`)
  process.exitCode = counts.started === 0 ? 1 : 0
}

try {
  await simulate(readSimulateCommand(process.argv.slice(2)))
  process.exit()
} catch (error) {
  // commander has already printed the fault.
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode
}
