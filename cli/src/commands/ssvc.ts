import type { Command } from 'commander'
import type { SsvcSettings, SsvcSettingsPatch } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { readPositiveInteger } from '../option-values.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'

const PATH = '/workspaces/{workspaceId}/ssvc'

type Targets = NonNullable<SsvcSettingsPatch['targetDays']>

interface UpdateOptions extends ConnectionOptions {
  tree?: string
  manyDevices?: number
  target?: Targets
  /** False with --no-gate-from. */
  gateFrom?: string | false
}

export function addSsvcCommands(program: Command): void {
  const ssvc = program
    .command('ssvc')
    .description('What decides how urgent findings are: the tree of SSVC, its targets and its gate')
  withConnection(ssvc.command('show'))
    .description('Show the tree that holds, and what is stated')
    .action(show)
  withConnection(ssvc.command('update'))
    .description('Change what SSVC decides by; options that are left out stay')
    .option('--tree <id>', 'Fleet, Cisa, or the id of a tree of your own')
    .option('--many-devices <number>', 'so many devices, or more, are many', readPositiveInteger)
    .option(
      '--target <outcome=days>',
      'days to decide a finding of an outcome, such as Act=7; Act=none takes it back; may be repeated',
      readTarget,
    )
    .option(
      '--gate-from <outcome>',
      'the release gate stops versions with findings of this outcome, or a more urgent one',
    )
    .option('--no-gate-from', 'the release gate does not ask for outcomes')
    .action(update)
}

function readTarget(text: string, before: Targets = {}): Targets {
  const place = text.lastIndexOf('=')
  const [outcome, days] = [text.slice(0, place), text.slice(place + 1)]
  if (place < 1)
    throw usageError(`${JSON.stringify(text)} is not an outcome with days, such as Act=7.`)
  return { ...before, [outcome]: days === 'none' ? null : readPositiveInteger(days) }
}

async function show(options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  print(await client.get(PATH, { params: { workspaceId } }), options)
}

async function update(options: UpdateOptions): Promise<void> {
  const { tree, manyDevices, target, gateFrom } = options
  const body: SsvcSettingsPatch = {
    ...(tree !== undefined && { tree }),
    ...(manyDevices !== undefined && { manyDevices }),
    ...(target && { targetDays: target }),
    ...(gateFrom !== undefined && { gateFrom: gateFrom || null }),
  }
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: ssvc update --help shows the options.')
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId }
  const found = await client.get(PATH, { params })
  print(await client.patch(PATH, { params, body, ifStill: found }), options)
}

function print(settings: SsvcSettings, { json }: ConnectionOptions): void {
  if (json) printJson(settings)
  else printFacts(listFacts(settings))
}

function listFacts(settings: SsvcSettings): Fact[] {
  const { tree, treeName, outcomes, manyDevices, targetDays, gateFrom, updatedAt } = settings
  const targets = outcomes
    .toReversed()
    .flatMap((outcome) =>
      targetDays[outcome] === undefined ? [] : [`${outcome} ${targetDays[outcome]}`],
    )
  return [
    ['Tree', `${treeName} (${tree})`],
    ['Outcomes', outcomes.join(', ')],
    ['Many devices', manyDevices],
    ['Target days', targets.join(', ') || 'none'],
    ['Gate from', gateFrom ?? 'none'],
    [
      'Stated',
      `${formatCount(settings.products.length, 'product')}, ${formatCount(settings.cohorts.length, 'cohort')}`,
    ],
    ['Changed', updatedAt === null ? 'never' : formatTime(updatedAt)],
  ]
}
