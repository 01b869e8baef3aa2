import type { Command } from 'commander'
import type { SsvcSettings, SsvcSettingsPatch } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { findFirmware } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { findCohortId, notFound } from '../named.ts'
import { readLabels, readPositiveInteger } from '../option-values.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { addSsvcTreeCommands } from './ssvc-trees.ts'

const PATH = '/workspaces/{workspaceId}/ssvc'

type Targets = NonNullable<SsvcSettingsPatch['targetDays']>

interface UpdateOptions extends ConnectionOptions {
  tree?: string
  manyDevices?: number
  target?: Targets
  /** False with --no-gate-from. */
  gateFrom?: string | false
  mission?: Record<string, string>
  wellBeing?: Record<string, string>
  exposure?: Record<string, string>
  dryRun?: boolean
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
    .option(
      '--mission <firmware=prevalence>',
      'how much missions of its users depend on a product: Minimal, Support, Essential, or none; may be repeated',
      readLabels,
    )
    .option(
      '--well-being <firmware=harm>',
      'the harm to people that its failure can do: Minimal, Material, Irreversible, or none; may be repeated',
      readLabels,
    )
    .option(
      '--exposure <cohort=exposure>',
      'whether devices of a cohort are reached from outside: Small, Controlled, Open, or none; may be repeated',
      readLabels,
    )
    .option('--dry-run', 'count how many findings would have another outcome, and change nothing')
    .action(update)
  addSsvcTreeCommands(ssvc)
  withConnection(ssvc.command('count'))
    .description('Count vulnerabilities with active findings by outcome, the most urgent first')
    .option('--on-devices', 'only those of packages that a device runs')
    .action(count)
}

interface CountOptions extends ConnectionOptions {
  onDevices?: boolean
}

/** Of each outcome those that are not more urgent, as a list with `--ssvc` has them. */
async function count(options: CountOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const onDevices = options.onDevices === true
  const { bySsvc } = await client.post('/workspaces/{workspaceId}/vulnerability-findings/counts', {
    params: { workspaceId },
    body: {
      filter: { activeOnly: true, ...(onDevices && { affectedDevicesOnly: true }) },
      chips: ['bySsvc'],
    },
  })
  const counts = bySsvc ?? []
  if (options.json) printJson(counts)
  else
    printFacts(
      counts.map(({ outcome, totalCount, totalCountIsLowerBound }): Fact => [
        outcome,
        `${formatCount(totalCount, 'vulnerability', 'vulnerabilities')}${totalCountIsLowerBound ? ' or more' : ''}, this urgent or more`,
      ]),
    )
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
  const { mission, wellBeing, exposure } = options
  const stated = readStated(options)
  if (Object.keys(stated).length === 0 && !mission && !wellBeing && !exposure)
    throw usageError('Say what to change: ssvc update --help shows the options.')
  const session = await openSession(options)
  const { client, workspaceId } = session
  const params = { workspaceId }
  const found = await client.get(PATH, { params })
  const body: SsvcSettingsPatch = {
    ...stated,
    ...((mission ?? wellBeing) && { products: await stateProducts(session, found, options) }),
    ...(exposure && { cohorts: await stateCohorts(session, found, exposure) }),
  }
  if (options.dryRun) await preview(session, { ...found, ...body }, options)
  else print(await client.patch(PATH, { params, body, ifStill: found }), options)
}

type Settings = Pick<SsvcSettings, 'tree' | 'manyDevices' | 'products' | 'cohorts'>

/** Targets and the gate change no outcome. */
async function preview(
  { client, workspaceId }: Session,
  { tree, manyDevices, products, cohorts }: Settings,
  { json }: ConnectionOptions,
): Promise<void> {
  const counted = await client.post('/workspaces/{workspaceId}/ssvc/preview', {
    params: { workspaceId },
    body: { tree, manyDevices, products, cohorts },
  })
  if (json) {
    printJson(counted)
    return
  }
  const { findingCount, changedCount, changes } = counted
  printFacts([
    ...changes.map(({ from, to, count: some }): Fact => [
      from === to ? `${from} as now` : `${from} to ${to}`,
      formatCount(some, 'finding'),
    ]),
    ['Other than now', `${changedCount} of ${formatCount(findingCount, 'finding')}`],
  ])
}

/** What is no list. */
function readStated({ tree, manyDevices, target, gateFrom }: UpdateOptions): SsvcSettingsPatch {
  return {
    ...(tree !== undefined && { tree }),
    ...(manyDevices !== undefined && { manyDevices }),
    ...(target && { targetDays: target }),
    ...(gateFrom !== undefined && { gateFrom: gateFrom || null }),
  }
}

/** `none`: it is not known. */
const readKnown = (word: string) => (word === 'none' ? null : word)

/** The others stay as they are. */
async function stateProducts(
  session: Session,
  { products }: SsvcSettings,
  { mission = {}, wellBeing = {} }: UpdateOptions,
): Promise<SsvcSettings['products']> {
  const stated = new Map(products.map((one) => [one.firmwareId, one]))
  for (const name of new Set([...Object.keys(mission), ...Object.keys(wellBeing)])) {
    const firmwareId = (await findFirmware(session, name))?.id
    if (firmwareId === undefined) throw notFound('firmware', name)
    const before = stated.get(firmwareId)
    const after = {
      firmwareId,
      missionPrevalence: readPart(mission[name], before?.missionPrevalence),
      publicWellBeing: readPart(wellBeing[name], before?.publicWellBeing),
    }
    // The service says which words there are.
    stated.set(firmwareId, after as SsvcSettings['products'][number])
  }
  return [...stated.values()]
}

const readPart = (word: string | undefined, before: string | null | undefined) =>
  word === undefined ? (before ?? null) : readKnown(word)

async function stateCohorts(
  session: Session,
  { cohorts }: SsvcSettings,
  exposures: Readonly<Record<string, string>>,
): Promise<SsvcSettings['cohorts']> {
  const stated = new Map(cohorts.map((one) => [one.cohortId, one]))
  for (const [name, word] of Object.entries(exposures)) {
    const cohortId = await findCohortId(session, name)
    if (readKnown(word) === null) stated.delete(cohortId)
    else stated.set(cohortId, { cohortId, exposure: word } as SsvcSettings['cohorts'][number])
  }
  return [...stated.values()]
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
