import type { Command } from 'commander'
import {
  IMAGE_DEMAND,
  LOG_SEVERITY,
  type WorkspaceSettings,
  type WorkspaceSettingsPatch,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { readOneOf, readPositiveInteger, collect } from '../option-values.ts'
import { printJson } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession, ownOptions } from '../session.ts'

type Days = NonNullable<WorkspaceSettingsPatch['remediationTargetDays']>

const PATH = '/workspaces/{workspaceId}/settings'
const GATES = [
  'Off',
  'Warn',
  'Block',
] as const satisfies readonly WorkspaceSettings['releaseGate'][]
const ORDERS = [
  'Normal',
  'Last',
] as const satisfies readonly WorkspaceSettings['disputedFindings'][]

const SUPPORT_RULES = [
  'NotAsked',
  'NotEnded',
  'UntilPromise',
] as const satisfies readonly WorkspaceSettings['gateSupport'][]

/** Each option has the name of the setting it changes. */
interface UpdateOptions extends ConnectionOptions {
  name?: string
  defaultLogSeverity?: WorkspaceSettings['defaultLogSeverity']
  deviceAutoRegistration?: boolean
  remediationTargetDays?: Days
  metricRetentionDays?: number
  metricHourRetentionDays?: number
  logRetentionDays?: number
  carryOverAssessments?: boolean
  releaseGate?: WorkspaceSettings['releaseGate']
  listFuzzingFindings?: boolean
  deviceVersionAttribute?: string | false
  devicePollingSeconds?: number
  replacedSbomDays?: number
  requireSecondFactor?: boolean
  decidingVexAuthors?: string[] | false
  disputedFindings?: WorkspaceSettings['disputedFindings']
  gateForbidsExploitedAcceptances?: boolean
  gateSupport?: WorkspaceSettings['gateSupport']
  gateImages?: WorkspaceSettings['gateImages'] | false
  gateNewCrashes?: boolean
  deviceKeyRotationDays?: number | false
}

export function addSettingsCommands(program: Command): void {
  const settings = program.command('settings').description('Settings of the workspace')

  withConnection(settings.command('show')).description('Show the settings').action(show)
  withDevices(withConnection(settings.command('update')))
    .description('Change settings; options that are left out stay')
    .option('--name <name>', 'name of the workspace')
    .option('--default-log-severity <word>', LOG_SEVERITY.join(', '), readOneOf(LOG_SEVERITY))
    .option('--device-auto-registration', 'devices with the key of the workspace register')
    .option('--no-device-auto-registration', 'only devices that were created are let in')
    .option(
      '--remediation-target-days <severity=days>',
      'days to fix a finding, such as critical=7; may be repeated',
      targetDays,
    )
    .option('--metric-retention-days <days>', 'how long points are kept', readPositiveInteger)
    .option(
      '--metric-hour-retention-days <days>',
      'how long sums of hours are kept',
      readPositiveInteger,
    )
    .option('--log-retention-days <days>', 'how long log lines are kept', readPositiveInteger)
    .option('--carry-over-assessments', 'take decisions over to the next version')
    .option('--no-carry-over-assessments', 'decide anew for each version')
    .option('--release-gate <word>', GATES.join(', '), readOneOf(GATES))
    .option(
      '--gate-forbids-exploited-acceptances',
      'the gate counts exploited ones also if ignored',
    )
    .option('--no-gate-forbids-exploited-acceptances', 'what is ignored passes the gate')
    .option(
      '--gate-support <word>',
      `what the gate asks of support: ${SUPPORT_RULES.join(', ')}`,
      readOneOf(SUPPORT_RULES),
    )
    .option(
      '--gate-images <word>',
      `what the gate demands of images: ${IMAGE_DEMAND.join(', ')}; may be repeated`,
      collectDemands,
    )
    .option('--no-gate-images', 'the gate demands nothing of images')
    .option('--gate-new-crashes', 'the gate counts crashes that no earlier version had')
    .option('--no-gate-new-crashes', 'the gate does not count crashes')
    .option('--list-fuzzing-findings', 'list crashes that OSS-Fuzz found')
    .option('--no-list-fuzzing-findings', 'leave them out of lists')
    .option('--replaced-sbom-days <days>', 'how long replaced SBOMs are kept', readPositiveInteger)
    .option('--require-second-factor', 'only with a second factor people may enter')
    .option('--no-require-second-factor', 'a password is enough')
    .option(
      '--deciding-vex-authors <name>',
      'author whose VEX documents decide over people; may be repeated',
      collect,
    )
    .option('--no-deciding-vex-authors', 'people decide over documents')
    .option('--disputed-findings <word>', `by risk: ${ORDERS.join(', ')}`, readOneOf(ORDERS))
    .action(update)
}

function withDevices(command: Command): Command {
  return command
    .option('--device-version-attribute <name>', 'attribute of hawkBit devices with their version')
    .option('--no-device-version-attribute', 'none')
    .option('--device-polling-seconds <seconds>', 'how often devices ask', readPositiveInteger)
    .option(
      '--device-key-rotation-days <days>',
      'after how many days devices replace their keys',
      readPositiveInteger,
    )
    .option('--no-device-key-rotation-days', 'devices replace their keys when somebody asks')
}

type Demand = WorkspaceSettings['gateImages'][number]

/** Several demands may be given, each once. */
function collectDemands(text: string, before: readonly Demand[] | boolean = []): Demand[] {
  const demand = readOneOf(IMAGE_DEMAND)(text)
  const others = typeof before === 'boolean' ? [] : before.filter((one) => one !== demand)
  return [...others, demand]
}

const SEVERITIES = ['Critical', 'High', 'Medium', 'Low'] as const

function targetDays(text: string, before: Days = {}): Days {
  const [severity = '', days = ''] = text.split('=', 2)
  return { ...before, [readOneOf(SEVERITIES)(severity)]: readPositiveInteger(days) }
}

async function show(options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  print(await client.get(PATH, { params: { workspaceId } }), options)
}

async function update(options: UpdateOptions): Promise<void> {
  const body = readChanges(options)
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: settings update --help shows the options.')
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId }
  const found = await client.get(PATH, { params })
  print(await client.patch(PATH, { params, body, ifStill: found }), options)
}

function readChanges(options: UpdateOptions): WorkspaceSettingsPatch {
  const {
    deviceVersionAttribute: attribute,
    decidingVexAuthors,
    gateImages,
    deviceKeyRotationDays: keyDays,
    ...changes
  } = ownOptions(options)
  return {
    ...changes,
    ...(attribute !== undefined && { deviceVersionAttribute: attribute || null }),
    ...(keyDays !== undefined && { deviceKeyRotationDays: keyDays || null }),
    ...(gateImages !== undefined && { gateImages: gateImages || [] }),
    ...(decidingVexAuthors !== undefined && { decidingVexAuthors: decidingVexAuthors || [] }),
  }
}

function print(settings: WorkspaceSettings, { json }: ConnectionOptions): void {
  if (json) printJson(settings)
  else printFacts(listFacts(settings))
}

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')

/** Named as the options that change them. */
function listFacts(settings: WorkspaceSettings): Fact[] {
  const days = SEVERITIES.map((one) => `${one} ${settings.remediationTargetDays[one]}`)
  return [
    ['Name', settings.name],
    ['Id', settings.id],
    ['Default log severity', settings.defaultLogSeverity],
    ['Device auto registration', yesOrNo(settings.deviceAutoRegistration)],
    ['Remediation target days', days.join(', ')],
    ['Metric retention days', settings.metricRetentionDays],
    ['Metric hour retention days', settings.metricHourRetentionDays],
    ['Log retention days', settings.logRetentionDays],
    ['Carry over assessments', yesOrNo(settings.carryOverAssessments)],
    ['Release gate', settings.releaseGate],
    ['Gate forbids exploited acceptances', yesOrNo(settings.gateForbidsExploitedAcceptances)],
    ['Gate support', settings.gateSupport],
    ['Gate images', settings.gateImages.join(', ') || 'nothing'],
    ['Gate new crashes', yesOrNo(settings.gateNewCrashes)],
    ['List fuzzing findings', yesOrNo(settings.listFuzzingFindings)],
    ['Device version attribute', settings.deviceVersionAttribute ?? 'none'],
    ['Device polling seconds', settings.devicePollingSeconds],
    ['Device key rotation days', settings.deviceKeyRotationDays ?? 'none'],
    ['Replaced SBOM days', settings.replacedSbomDays],
    ['Require second factor', yesOrNo(settings.requireSecondFactor)],
    ['Deciding VEX authors', settings.decidingVexAuthors.join(', ') || 'none'],
    ['Disputed findings', settings.disputedFindings],
    ['Changed', formatTime(settings.updatedAt)],
  ]
}
