/** What stops clocks, and what corrects facts. */
import type { Command } from 'commander'
import { CASE, CASES, findCaseId, openCase, withCase } from '../case-named.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { formatTime, parseInstant } from '../instant.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { printCase } from './case-acts.ts'

interface WithReason extends ConnectionOptions {
  reason: string
}

const readPast = (text: string) => parseInstant(text)

export function addCaseEnds(command: Command): void {
  withCase(command.command('close'))
    .description('Close a case; users come first, and reports that are missing need a reason')
    .option('--reason <text>', 'why reports are not submitted')
    .action(close)
  withConnection(command.command('dismiss').argument('<cases...>', 'ids, CVE ids or titles'))
    .description('Dismiss cases with a reason; they can be reopened')
    .requiredOption('--reason <text>', 'why')
    .action(dismiss)
  withCase(command.command('reopen'))
    .description('Reopen a closed or dismissed case')
    .requiredOption('--reason <text>', 'why')
    .action(reopen)
  withCase(command.command('correct'))
    .description('Correct a fact, or withdraw it; what was recorded stays')
    .argument('<fact>', 'its id, as case show --facts lists it')
    .option('--to <time>', 'the right instant: a time, or a duration ago', readPast)
    .option('--withdraw', 'the fact does not hold')
    .option('--estimate', 'the instant is not known exactly')
    .requiredOption('--reason <text>', 'why')
    .action(correct)
  withCase(command.command('invalidate'))
    .description('Record that the CSIRT did not accept a report: it is due again at its old time')
    .argument('<report>', 'its id, as case show lists it')
    .requiredOption('--at <time>', 'when: a time, or a duration ago', readPast)
    .requiredOption('--reason <text>', 'why')
    .action(invalidate)
}

async function close(
  text: string,
  options: ConnectionOptions & { reason?: string },
): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = options.reason === undefined ? {} : { reason: options.reason }
  printCase(options, 'closed', await client.post(`${CASE}/close`, { params, body }))
}

/** One by itself also where its clocks run; of several these are left, so that somebody looks at each. */
async function dismiss(names: string[], options: WithReason): Promise<void> {
  const { reason } = options
  const [name = '', ...others] = names
  if (others.length === 0) {
    const { client, params } = await openCase(name, options)
    const body = { reason }
    return printCase(options, 'dismissed', await client.post(`${CASE}/dismiss`, { params, body }))
  }
  const session = await openSession(options)
  const { client, workspaceId } = session
  const caseIds: string[] = []
  for (const one of names) caseIds.push(await findCaseId(session, one))
  const body = { caseIds: [...new Set(caseIds)], reason }
  const answer = await client.post(`${CASES}/dismiss`, { params: { workspaceId }, body })
  const left = answer.left === 0 ? '' : `; ${answer.left} left, which are open or ended`
  printDone(options, { answer, text: `${formatCount(answer.dismissed, 'case')} dismissed${left}` })
}

async function reopen(text: string, options: WithReason): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = { reason: options.reason }
  printCase(options, 'reopened', await client.post(`${CASE}/reopen`, { params, body }))
}

async function correct(
  text: string,
  factId: string,
  options: WithReason & { to?: string; withdraw?: boolean; estimate?: boolean },
): Promise<void> {
  const { to, withdraw, estimate, reason } = options
  if ((to === undefined) === (withdraw !== true))
    throw usageError('Say either --to <time> or --withdraw.')
  const { client, params } = await openCase(text, options)
  const isEstimate = estimate ?? false
  const body = { factId, instant: to ?? null, isEstimate, reason }
  const answer = await client.post(`${CASE}/corrections`, { params, body })
  const done = to === undefined ? 'the fact is withdrawn' : `corrected to ${formatTime(to)} UTC`
  printCase(options, done, answer)
}

async function invalidate(
  text: string,
  reportId: string,
  options: WithReason & { at: string },
): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = { invalidatedAt: options.at, reason: options.reason }
  const answer = await client.post(`${CASE}/reports/{reportId}/invalidation`, {
    params: { ...params, reportId },
    body,
  })
  printCase(options, 'the report was not accepted, and is due again', answer)
}
