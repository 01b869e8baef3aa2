import type { Command } from 'commander'
import { ALERT_RULE_TYPE, type AlertRule } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { withListOptions, type ListOptions as Listed, printListing } from '../listing.ts'
import { usageError } from '../failure.ts'
import { findRuleId } from '../named.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { readOneOf } from '../option-values.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { readShownRule } from '../rule-file.ts'
import { findExample, readStatedRule, type RuleOptions, withRuleOptions } from '../rule-options.ts'
import { type ConnectionOptions, withConnection, openSession, ownOptions } from '../session.ts'
import { type Column, type Style, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { addDryRun } from './alert-rule-dry-run.ts'

type Evaluation = AlertRule['evaluations'][number]

const RULES = '/workspaces/{workspaceId}/alert-rules'
const RULE = `${RULES}/{alertRuleId}` as const
const STATES = ['Enabled', 'Disabled'] as const satisfies readonly AlertRule['state'][]

interface ListOptions extends Listed {
  state?: AlertRule['state']
}

interface FileOptions extends ConnectionOptions {
  file: string
}

export function addAlertRuleCommands(program: Command): void {
  const rule = program
    .command('alert-rule')
    .description('Alert rules: what is watched, and who is notified')

  withListOptions(rule.command('list'))
    .description('List the alert rules')
    .option('--state <word>', STATES.join(', '), readOneOf(STATES))
    .action(listRules)
  named(rule.command('show')).description('Show a rule and its latest evaluations').action(showRule)
  withRuleOptions(withConnection(rule.command('create')))
    .description('Create a rule: on a metric by options, or of any type from a file')
    .option(
      '--example <type>',
      `print a rule of this type: ${ALERT_RULE_TYPE.join(', ')}`,
      readType,
    )
    .action(create)
  named(fromFile(rule.command('update')))
    .description('Replace a rule; accepts the edited output of show --json')
    .action(update)
  withConfirmation(named(rule.command('delete')))
    .description('Delete a rule')
    .action(remove)
  named(rule.command('enable')).description('Enable a rule').action(enable)
  named(rule.command('disable')).description('Disable a rule; its incident ends').action(disable)
  addDryRun(rule)
}

function named(command: Command): Command {
  return withConnection(command.argument('<rule>', 'its id or name'))
}

/** The session, and the path of the rule with this id or name. */
async function openRule(rule: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const { client, workspaceId } = session
  return { client, params: { workspaceId, alertRuleId: await findRuleId(session, rule) } }
}

function fromFile(command: Command): Command {
  return command.requiredOption('--file <file>', 'the rule as JSON; - for stdin')
}

const STATUSES: Record<Evaluation['status'], Style | undefined> = {
  Ok: 'green',
  Firing: 'red',
  NoData: 'dim',
  Failed: 'magenta',
}

const COLUMNS: readonly Column<AlertRule>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: ({ state, hasFiringAlert }) => (hasFiringAlert ? 'Firing' : state),
    style: ({ state, hasFiringAlert }) =>
      hasFiringAlert ? 'red' : state === 'Disabled' ? 'dim' : undefined,
  },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'EVERY', value: ({ evaluationFrequency }) => evaluationFrequency },
  { title: 'LAST', value: ({ evaluations }) => evaluations[0]?.status ?? null },
  { title: 'TARGETS', value: ({ targets }) => targets.map(({ name }) => name).join(', ') },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listRules({ state, ...options }: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const rules = await client.get(RULES, {
    params: { workspaceId },
    query: { ...(state && { state }) },
  })
  printListing(options, {
    rows: rules,
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'alert rule',
    answer: (rows) => rows,
  })
}

async function showRule(rule: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openRule(rule, options)
  const found = await client.get(RULE, { params })
  if (options.json) {
    printJson(found)
    return
  }
  printFacts(listFacts(found))
  printWarnings(found)
  if (found.evaluations.length === 0) return
  printLine('')
  writeTable(getTerminal().stdout, EVALUATIONS, found.evaluations)
}

function listFacts(rule: AlertRule): Fact[] {
  const { name, description, state, type, evaluationFrequency, condition, targets } = rule
  const { id, incidentId, repeatInterval, nextEvaluationAt } = rule
  return [
    ['Rule', name],
    ['Id', id],
    ['Description', description],
    ['State', state],
    ['Type', type],
    ['Every', evaluationFrequency],
    ...Object.entries(condition).map(([field, value]): Fact => [`  ${field}`, formatValue(value)]),
    ['Targets', targets.map((target) => `${target.name} (${target.type})`).join(', ')],
    ['Owners', rule.notifyOwners ? 'get mails of what is theirs' : null],
    ['Reminders', repeatInterval && `every ${repeatInterval}`],
    ['Incident', incidentId],
    ['Next turn', formatTime(nextEvaluationAt)],
  ]
}

/** Leaves out filters that are empty, since they restrict nothing. */
function formatValue(value: unknown): string | null {
  if (value === null || value === false) return null
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, text]) => `${name}=${String(text)}`)
      .join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const EVALUATIONS: readonly Column<Evaluation>[] = [
  { title: 'AT (UTC)', value: ({ evaluationScheduledAt: at }) => formatTime(at) },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => STATUSES[status] },
  { title: 'FIRING', value: ({ firingCount }) => firingCount },
  { title: 'WITH DATA', value: ({ valueCount, seriesCount }) => `${valueCount} of ${seriesCount}` },
  { title: 'LOWEST', value: ({ lowest }) => lowest },
  { title: 'HIGHEST', value: ({ highest }) => highest },
  { title: 'REASON', value: ({ reason }) => reason },
]

const readType = readOneOf(ALERT_RULE_TYPE)

type CreateOptions = ConnectionOptions &
  RuleOptions & { example?: (typeof ALERT_RULE_TYPE)[number] }

async function create(options: CreateOptions): Promise<void> {
  const { example, ...stated } = ownOptions(options)
  if (example !== undefined) {
    printLine(JSON.stringify(findExample(example), null, 2))
    return
  }
  const body = await readStatedRule(stated, () => openSession(options))
  const { client, workspaceId } = await openSession(options)
  done(await client.post(RULES, { params: { workspaceId }, body }), options, 'created')
}

async function update(rule: string, { file, ...options }: FileOptions): Promise<void> {
  const { rule: body, updatedAt } = await readShownRule(file)
  const { client, params } = await openRule(rule, options)
  const found = await client.get(RULE, { params })
  if (updatedAt !== undefined && updatedAt !== found.updatedAt)
    throw usageError(
      `${found.name} was changed after it was written to ${file}, so it stays: write the file anew with alert-rule show --json, or take updatedAt out of it to replace the rule all the same.`,
    )
  done(await client.put(RULE, { params, body, ifStill: found }), options, 'replaced')
}

async function remove(rule: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openRule(rule, options)
  const { name } = await client.get(RULE, { params })
  await confirm(`Delete the alert rule ${name}?`, options)
  await client.delete(RULE, { params })
  printDone(options, { answer: { id: params.alertRuleId }, text: `${rule}: deleted` })
}

async function enable(rule: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openRule(rule, options)
  done(await client.post(`${RULE}/enable`, { params }), options, 'enabled')
}

async function disable(rule: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openRule(rule, options)
  done(await client.post(`${RULE}/disable`, { params }), options, 'disabled')
}

function done(rule: AlertRule, { json }: ConnectionOptions, what: string): void {
  if (json) {
    printJson(rule)
    return
  }
  printWarnings(rule)
  printLine(sanitise(`${rule.name}: ${what}, ${rule.id}`))
}

function printWarnings({ warnings }: AlertRule): void {
  for (const warning of warnings) note(sanitise(`Warning: ${warning}`))
}
