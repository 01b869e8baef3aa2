import type { Command } from 'commander'
import type { AlertRuleDryRun } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { findRuleId } from '../named.ts'
import { formatTime } from '../instant.ts'
import { readPositiveInteger } from '../option-values.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { readRule } from '../rule-file.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { drawTimeline } from '../timeline.ts'

interface DryRunOptions extends ConnectionOptions {
  file?: string
  days?: number
}

const WIDEST = 100

export function addDryRun(rule: Command): void {
  withConnection(rule.command('dry-run'))
    .description('Show what a rule on a metric would have done over the last days')
    .argument('[rule]', 'id or name of a rule; or give --file')
    .option('--file <file>', 'a rule as JSON, before it is created; - for stdin')
    .option(
      '--days <n>',
      'how many of the last days, at most 30; 1 if not given',
      readPositiveInteger,
    )
    .action(dryRun)
}

async function dryRun(
  rule: string | undefined,
  { file, days = 1, ...options }: DryRunOptions,
): Promise<void> {
  if ((rule === undefined) === (file === undefined))
    throw usageError('Name a rule, or a file with one: --file.')
  const answer =
    file === undefined
      ? await runStored(await openSession(options), { rule: rule ?? '', days })
      : await runFile(options, { file, days })
  if (options.json) printJson(answer)
  else print(answer)
}

async function runStored(
  session: Session,
  { rule, days }: { rule: string; days: number },
): Promise<AlertRuleDryRun> {
  const { client, workspaceId } = session
  const alertRuleId = await findRuleId(session, rule)
  const path = '/workspaces/{workspaceId}/alert-rules/{alertRuleId}/dry-run'
  return client.post(path, { params: { workspaceId, alertRuleId }, query: { days } })
}

async function runFile(
  options: ConnectionOptions,
  { file, days }: { file: string; days: number },
): Promise<AlertRuleDryRun> {
  const body = await readRule(file)
  const { client, workspaceId } = await openSession(options)
  const path = '/workspaces/{workspaceId}/alert-rules/dry-run'
  return client.post(path, { params: { workspaceId }, query: { days }, body })
}

const INCIDENTS: readonly Column<AlertRuleDryRun['incidents'][number]>[] = [
  { title: 'BEGAN (UTC)', value: ({ beganAt }) => formatTime(beganAt) },
  { title: 'ENDED (UTC)', value: ({ endedAt }) => formatTime(endedAt) ?? 'would last' },
  { title: 'SERIES', value: ({ seriesCount }) => seriesCount },
]

const SERIES: readonly Column<AlertRuleDryRun['firingSeries'][number]>[] = [
  { title: 'FIRED', value: ({ series, label }) => label ?? (series || 'all devices') },
  { title: 'MINUTES', value: ({ firingSeconds }) => Math.round(firingSeconds / 60) },
  { title: 'FIRST (UTC)', value: ({ firstAt }) => formatTime(firstAt) },
  { title: 'LAST (UTC)', value: ({ lastAt }) => formatTime(lastAt) },
]

const SHOWN = 20

function print({ evaluations, timeline, from, to, ...answer }: AlertRuleDryRun): void {
  const { count, firing, noData, failed } = evaluations
  const { seriesCount, firingSeriesCount, incidents, firingSeries } = answer
  printLine(
    `${formatCount(count, 'evaluation')} of ${seriesCount} series: ${firing} firing, ${noData} without data, ${failed} failed`,
  )
  const [begin, end] = [formatTime(from) ?? '', formatTime(to) ?? '']
  const width = Math.min(
    WIDEST,
    (getTerminal().stdout.columns ?? WIDEST) - begin.length - end.length - 4,
  )
  const line = drawTimeline(timeline, { turns: count, width })
  if (line !== '') printLine(`${begin}  ${line}  ${end}`)
  if (incidents.length === 0) return
  printLine(`\n${formatCount(incidents.length, 'incident')}:`)
  writeTable(getTerminal().stdout, INCIDENTS, incidents)
  printLine(`\n${firingSeriesCount} series would have fired, longest first:`)
  writeTable(getTerminal().stdout, SERIES, firingSeries.slice(0, SHOWN))
}
