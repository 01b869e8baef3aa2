import { type Deployment, nameDeploymentState } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import { readPositive } from '../option-values.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import {
  type CohortOptions,
  DEPLOYMENT,
  openDeployment,
  formatPhase,
  formatProgress,
  formatReporting,
} from '../roll-out.ts'
import { estimateRest } from '../pace.ts'
import { nameComparison } from './deployment-comparison.ts'
import { getTerminal } from '../terminal.ts'
import { createWaiting } from '../waiting.ts'

const EXIT_CODES = `
Exit codes:
  ${EXIT.ok}  all devices run what was rolled out
  ${EXIT.rollOutFailed}  devices failed, or the roll-out was stopped
  ${EXIT.devicesWorse}  a comparison stopped it, as updated devices changed for the worse
  ${EXIT.rollOutEnded}  it was cancelled or superseded before it was done
  ${EXIT.timedOut}  it was not done in time
  ${EXIT.interrupted}  Ctrl-C; the roll-out goes on`

interface WatchOptions extends CohortOptions {
  timeout?: number
}

export function addDeploymentWatch(watching: Command): void {
  watching
    .description('Follow a deployment until it is done; Ctrl-C ends only the watching')
    .option('--timeout <seconds>', 'longest time to follow it (default: no end)', readPositive)
    .addHelpText('after', EXIT_CODES)
    .action(watch)
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

async function watch(text: string | undefined, options: WatchOptions): Promise<void> {
  const { client, params } = await openDeployment(text, options)
  const waiting = createWaiting()
  const deadline = performance.now() + (options.timeout ?? Number.POSITIVE_INFINITY) * 1000
  const draw = createDrawing()
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      const deployment = await client.get(DEPLOYMENT, { params })
      draw(deployment)
      const code = decideOutcome(deployment)
      if (code !== undefined) {
        finish(deployment, code, options)
        return
      }
      const left = deadline - performance.now()
      if (left <= 0)
        throw new CliError(
          EXIT.timedOut,
          `${deployment.name} is not done: ${formatProgress(deployment)}`,
        )
      if (!(await waiting.wait(Math.min(pause, left)))) {
        note('Not watched any more. The roll-out goes on: deployment watch follows it again.')
        return
      }
    }
  } finally {
    waiting.end()
  }
}

/** A comparison of the present phase found so. */
function isWorse({ comparisons, phase }: Deployment): boolean {
  const compared = comparisons[phase ?? 0]
  return compared?.state === 'Worse' && compared.accepted === null
}

/** undefined: it goes on. A paused one waits for a person who resumes it. */
function decideOutcome(deployment: Deployment): ExitCode | undefined {
  const { state, deviceCounts: counts } = deployment
  if (state === 'Stopped') return isWorse(deployment) ? EXIT.devicesWorse : EXIT.rollOutFailed
  if (state === 'Cancelled' || state === 'Superseded') return EXIT.rollOutEnded
  if (state !== 'Running' || counts.waiting + counts.installing > 0) return undefined
  return counts.failed > 0 ? EXIT.rollOutFailed : EXIT.ok
}

function finish(deployment: Deployment, code: ExitCode, { json }: WatchOptions): void {
  getTerminal().exitCode = code
  if (json) printJson(deployment)
  else printLine(sanitise(`${deployment.name}: ${summary(deployment)}`))
}

function summary(deployment: Deployment): string {
  const { state, stateReason, deviceCounts: counts, failureReasons } = deployment
  const reasons = failureReasons.map(({ reason, count }) => `${count} × ${reason}`).join('; ')
  const done =
    state === 'Running'
      ? 'done'
      : [nameDeploymentState(deployment), stateReason].filter(Boolean).join(', ')
  const failed = `${counts.failed} failed${reasons === '' ? '' : ` (${reasons})`}`
  return `${done}: ${formatReporting(counts)}, ${failed}`
}

/** On a terminal a block that is drawn again, elsewhere a line for each change. */
function createDrawing(): (deployment: Deployment) => void {
  const { stderr, isQuiet } = getTerminal()
  if (isQuiet) return () => {}
  let drawn = 0
  let last = ''
  return (deployment) => {
    const lines = stderr.isTTY ? formatBlock(deployment) : [formatLine(deployment)]
    // A line that wraps would be two to the terminal.
    const width = stderr.isTTY ? (stderr.columns ?? 80) - 1 : Number.POSITIVE_INFINITY
    const text = lines.map((line) => `${sanitise(line).slice(0, width)}\n`).join('')
    if (text === last) return
    // Back to the first line of the block, which is cleared (ECMA-48: CUU, ED).
    const back = stderr.isTTY && drawn > 0 ? `\u001b[${drawn}A\u001b[J` : ''
    stderr.write(back + text)
    drawn = lines.length
    last = text
  }
}

/** What keeps the next phase from beginning. */
const HELD: ReadonlySet<Deployment['comparisons'][number]['state']> = new Set(['Waiting', 'TooFew'])

function describeState(deployment: Deployment): string {
  const phase = formatPhase(deployment)
  const compared = deployment.comparisons[deployment.phase ?? -1]
  const isHeld =
    deployment.state === 'Running' && compared?.accepted === null && HELD.has(compared.state)
  const parts = [
    nameDeploymentState(deployment),
    phase && `phase ${phase}`,
    deployment.stateReason,
    isHeld && `the comparison ${nameComparison(compared)}`,
  ]
  return parts.filter(Boolean).join(', ')
}

const formatLine = (deployment: Deployment) =>
  `${deployment.name}: ${describeState(deployment)}: ${formatProgress(deployment)}`

const BAR_WIDTH = 30

function formatBlock(deployment: Deployment): string[] {
  const { reporting, failed, installing, waiting } = deployment.deviceCounts
  const rows = Object.entries({ 'report it': reporting, failed, installing, waiting })
  const total = rows.reduce((sum, [, count]) => sum + count, 0)
  const width = String(total).length
  const bar = (count: number) => '█'.repeat(Math.ceil((BAR_WIDTH * count) / Math.max(1, total)))
  return [
    `${deployment.name}: ${describeState(deployment)}`,
    ...rows.map(([state, count]) =>
      `  ${state.padEnd(11)}  ${String(count).padStart(width)}  ${bar(count)}`.trimEnd(),
    ),
    ...listEstimates(deployment),
  ]
}

/** Phases wait for more than devices, so their end is not foretold. */
function listEstimates(deployment: Deployment): string[] {
  const { state, deviceCounts: counts, startsAt, createdAt, phases, phase } = deployment
  const rest = estimateRest({
    finished: counts.reporting + counts.failed,
    left: counts.installing + counts.waiting,
    elapsedMs: Date.now() - Date.parse(startsAt ?? createdAt),
  })
  if (state !== 'Running' || rest === undefined) return []
  const later = phases.length - 1 - (phase ?? 0)
  const waits =
    later > 0
      ? `, without what ${later === 1 ? 'a later phase waits' : `${later} later phases wait`} for`
      : ''
  return [`  ${rest}${waits}`]
}
