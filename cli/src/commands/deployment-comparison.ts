/** Whether updated devices changed for the worse, compared with those that wait. */
import type { Command } from 'commander'
import type { DeploymentComparison } from '../../../api-client/src/index.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { notePage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type CohortOptions, DEPLOYMENT, openDeployment } from '../roll-out.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

/** `comparing` has the names of the deployment and the connection already. */
export function addDeploymentComparison(comparing: Command): void {
  comparing
    .description('Say whether updated devices changed for the worse, compared with those that wait')
    .action(showComparison)
}

type PhaseComparison = DeploymentComparison['phases'][number]
type Result = PhaseComparison['results'][number]

const VERDICTS: Record<Result['verdict'], string> = {
  Worse: 'worse',
  NotWorse: 'not worse',
  TooFew: 'too few to tell',
  NotMeasured: 'not measured',
}
const STATES: Record<PhaseComparison['state'], string> = {
  NotAsked: 'compares nothing',
  Waiting: 'waits for devices',
  TooFew: 'too few to tell',
  Passed: 'nothing is worse',
  Worse: 'worse',
}

const formatChange = (percent: number | null) =>
  percent === null ? '' : `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`

const COLUMNS: readonly Column<Result>[] = [
  { title: 'SIGNAL', value: ({ name }) => name },
  { title: 'VERDICT', value: ({ verdict }) => VERDICTS[verdict] },
  { title: 'UPDATED', value: ({ updated }) => formatChange(updated.changePercent) },
  { title: 'WAITING', value: ({ waiting }) => formatChange(waiting.changePercent) },
  { title: 'DIFFERENCE', value: ({ differencePercent }) => formatChange(differencePercent) },
  {
    title: 'DEVICES',
    value: ({ updated, waiting }) => `${updated.deviceCount} and ${waiting.deviceCount}`,
  },
]

async function showComparison(text: string | undefined, options: CohortOptions): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const { phases } = await client.get(`${DEPLOYMENT}/comparison`, { params })
  const { phase: present } = await client.get(DEPLOYMENT, { params })
  getTerminal().exitCode = decideOutcome(phases, present ?? 0)
  if (options.json) {
    printJson({ phases })
    return
  }
  if (phases.length === 0) printLine('No phase of the deployment asks for a comparison.')
  for (const phase of phases) printPhase(phase)
  await notePage(session, 'deployment', params)
}

/** Of the phases that have begun: worse outweighs what cannot be told yet. What a person accepted counts for nothing. */
function decideOutcome(phases: readonly PhaseComparison[], present: number): ExitCode {
  const open = phases.filter(
    ({ phase, state, accepted }) => phase <= present && accepted === null && state !== 'Passed',
  )
  if (open.some(({ state }) => state === 'Worse')) return EXIT.devicesWorse
  return open.length > 0 ? EXIT.notCompared : EXIT.ok
}

function printPhase({ phase, state, reason, accepted, results }: PhaseComparison): void {
  const told = reason === null || results.length > 0 ? '' : `: ${reason}`
  printLine(sanitise(`Phase ${phase + 1}: ${STATES[state]}${told}.`))
  if (accepted)
    printLine(
      sanitise(
        `Accepted by ${accepted.byEmail ?? 'an API key'}${accepted.reason === null ? '' : `: ${accepted.reason}`}`,
      ),
    )
  if (results.length === 0) return
  writeTable(getTerminal().stdout, COLUMNS, results)
  for (const { detail } of results) printLine(sanitise(`${detail}.`))
}
