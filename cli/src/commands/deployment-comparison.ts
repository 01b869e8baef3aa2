/** Whether updated devices changed for the worse, compared with those that wait. */
import type { Command } from 'commander'
import type { Deployment, DeploymentComparison } from '../../../api-client/src/index.ts'
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
type ComparedPhase = Deployment['comparisons'][number]

const VERDICTS: Record<Result['verdict'], string> = {
  Worse: 'worse',
  NotWorse: 'not worse',
  TooFew: 'too few to tell',
  NotMeasured: 'not measured',
}
const STATES: Record<ComparedPhase['state'], string> = {
  NotAsked: 'compares nothing',
  Waiting: 'waits for devices',
  TooFew: 'too few to tell',
  Passed: 'nothing is worse',
  Worse: 'worse',
}

/** What would hardly have been seen is no good news. */
function nameVerdict({ verdict, isBlind }: Result): string {
  return isBlind ? 'hardly seen' : VERDICTS[verdict]
}

/** "nothing is worse", or what of it would hardly have been seen. */
export function nameComparison({
  state,
  blindTo,
}: Pick<ComparedPhase, 'state' | 'blindTo'>): string {
  if (state !== 'Passed' || blindTo.length === 0) return STATES[state]
  return `nothing worse was seen, but even twice as much would have been missed in ${blindTo.join(', ')}`
}

/** Of each phase that asks for it: "phase 1: nothing is worse". */
export function listComparisons({ comparisons }: Pick<Deployment, 'comparisons'>): string[] {
  return comparisons.flatMap((one, phase) => {
    if (one.state === 'NotAsked') return []
    const isHeld = one.accepted === null && one.state !== 'Passed' && one.reason !== null
    const accepted = one.accepted ? `, accepted by ${one.accepted.byEmail ?? 'an API key'}` : ''
    return [
      `phase ${phase + 1}: ${nameComparison(one)}${accepted}${isHeld ? `: ${one.reason}` : ''}`,
    ]
  })
}

function formatChange(percent: number | null): string {
  if (percent === null) return ''
  const text = percent.toFixed(1)
  return `${text === '-0.0' ? '0.0' : (percent > 0 ? '+' : '') + text} %`
}

const COLUMNS: readonly Column<Result>[] = [
  { title: 'SIGNAL', value: ({ name }) => name },
  { title: 'VERDICT', value: nameVerdict },
  { title: 'UPDATED', value: ({ updated }) => formatChange(updated.changePercent) },
  { title: 'WAITING', value: ({ waiting }) => formatChange(waiting.changePercent) },
  { title: 'DIFFERENCE', value: ({ differencePercent }) => formatChange(differencePercent) },
  { title: 'WOULD SEE', value: formatSmallest },
  {
    title: 'DEVICES',
    value: ({ updated, waiting }) => `${updated.deviceCount} and ${waiting.deviceCount}`,
  },
]

/** The smallest change for the worse that would have been found. */
function formatSmallest({ worse, smallestPercent, smallestDevices, updated }: Result): string {
  if (smallestPercent !== null)
    return `${worse === 'Higher' ? '+' : '-'}${smallestPercent.toFixed(0)} %`
  return smallestDevices === null ? '' : `${smallestDevices} of ${updated.deviceCount} devices`
}

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

function printPhase({ phase, reason, accepted, results, ...found }: PhaseComparison): void {
  const told = reason === null || results.length > 0 ? '' : `: ${reason}`
  printLine(sanitise(`Phase ${phase + 1}: ${nameComparison(found)}${told}.`))
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
