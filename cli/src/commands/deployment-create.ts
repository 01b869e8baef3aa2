import type { Command } from 'commander'
import type { BodyOf, DeploymentPreview } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { describeReporting, OBSTACLES } from '../crash/reporting.ts'
import { EXIT } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { parseLaterInstant, parseSeconds } from '../instant.ts'
import { readPercent } from '../option-values.ts'
import { addComparison, type ComparisonOptions, withComparison } from '../comparison-options.ts'
import { findCohortId } from '../named.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type CohortOptions, DEPLOYMENTS, formatVersion } from '../roll-out.ts'
import { withConnection, openSession } from '../session.ts'
import { getTerminal } from '../terminal.ts'

type Body = BodyOf<'createDeployment'>
export type Phase = NonNullable<Body['phases']>[number]

interface CreateOptions extends CohortOptions, ComparisonOptions {
  cohort: string
  name?: string
  phase?: Phase[]
  maxFailures?: number
  startsAt?: string
  forced?: boolean
  confirmation?: boolean
  note?: string
  acknowledge?: string
  dryRun?: boolean
}

export function addDeploymentCreate(deployment: Command): void {
  withConnection(withComparison(deployment.command('create')))
    .description('Roll out versions to a cohort; ends its active deployment')
    .argument('<version...>', 'slug@name or id; the first is what matters most')
    .requiredOption('--cohort <cohort>', 'id or name of the cohort')
    .option('--name <name>', 'name of the deployment (default: that of the versions)')
    .option(
      '--phase <percent[:wait]>',
      'first so many percent of the devices, then wait so long, such as 10:1h; may be repeated',
      readPhase,
    )
    .option('--max-failures <percent>', 'stop when more updates of a phase failed', readPercent)
    .option('--starts-at <time>', 'when to begin, or in how long (default: now)', (text: string) =>
      parseLaterInstant(text),
    )
    .option('--forced', 'devices do not wait for a person')
    .option('--confirmation', 'devices ask a person before they install')
    .option('--note <text>', 'why; the roll-out shows it')
    .option('--acknowledge <reason>', 'why it goes out although the release gate objects')
    .option('--dry-run', 'tell what would change and what stands in the way')
    .action(create)
}

/** `10`, `10:1h` */
export function readPhase(text: string, before: readonly Phase[] = []): Phase[] {
  const [share = '', wait] = text.split(':', 2)
  const waitSeconds = wait === undefined ? {} : { waitSeconds: parseSeconds(wait) }
  return [...before, { percent: readPercent(share), ...waitSeconds }]
}

async function create(versions: string[], options: CreateOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const artifacts: Body['artifacts'] = []
  for (const [index, version] of versions.entries()) {
    const firmwareVersionId = await findStatedVersionId(session, version)
    artifacts.push({ firmwareVersionId, isMain: index === 0 })
  }
  const deploymentCohortId = await findCohortId(session, options.cohort)
  const params = { workspaceId, deploymentCohortId }
  if (options.dryRun) {
    showPreview(
      await client.post(`${DEPLOYMENTS}/preview`, { params, body: { artifacts } }),
      options,
    )
    return
  }
  const name = options.name ?? versions.map((version) => version.replace('@', ' ')).join(', ')
  const body = { name, artifacts, ...readRollOut(options) }
  const answer = await client.post(DEPLOYMENTS, { params, body })
  const installs = answer.artifacts.map(({ firmware }) => formatVersion(firmware)).join(', ')
  const text = `${answer.name} brings ${installs} to ${options.cohort}: ${answer.id}`
  printDone(options, { answer, id: answer.id, text })
  if (!options.json) await notePage(session, 'deployment', { ...params, deploymentId: answer.id })
}

function readRollOut(options: CreateOptions): Omit<Body, 'name' | 'artifacts'> {
  const { startsAt, forced, confirmation, note, acknowledge } = options
  const stages = addComparison(readPhases(options), options)
  return {
    ...(stages && { phases: stages }),
    ...(startsAt !== undefined && { startsAt }),
    ...(forced && { forced }),
    ...(confirmation && { confirmationRequired: confirmation }),
    ...(note !== undefined && { note }),
    ...(acknowledge !== undefined && { acknowledgement: { reason: acknowledge } }),
  }
}

/** The last phase has all devices, also where it was not said. */
function readPhases({ phase: stated = [], maxFailures }: CreateOptions): Phase[] | undefined {
  if (stated.length === 0 && maxFailures === undefined) return undefined
  return completePhases(stated, maxFailures)
}

export function completePhases(stated: readonly Phase[], maxFailures: number | undefined): Phase[] {
  if (stated.some(({ percent: share }, index) => share <= (stated[index - 1]?.percent ?? 0)))
    throw usageError('--phase: each has a larger percentage than the one before.')
  const all = stated.at(-1)?.percent === 100 ? stated : [...stated, { percent: 100 }]
  return all.map((phase) => ({
    ...phase,
    ...(maxFailures !== undefined && { failureThresholdPercent: maxFailures }),
  }))
}

function printGate(gate: DeploymentPreview['gate']): void {
  if (gate.mode !== 'Off')
    printLine(
      `Release gate (${gate.mode}): ${formatCount(gate.undecidedCritical, 'critical finding')} without a decision, ${gate.knownExploited} known exploited${gate.blocked ? '; it needs --acknowledge' : ''}.`,
    )
  const failing = gate.failingLicenceCount ?? 0
  if (failing > 0) printLine(`The licences of ${formatCount(failing, 'component')} may not ship.`)
  if (gate.mode !== 'Off') printAsked(gate)
  const { componentCount = 0, notJudgedCount = 0, unknownSeverityCount = 0 } = gate
  if (unknownSeverityCount > 0)
    printLine(
      `The severity of ${formatCount(unknownSeverityCount, 'active finding')} is not known.`,
    )
  if (notJudgedCount > 0)
    printLine(
      `Nothing can be told of ${notJudgedCount} of ${formatCount(componentCount, 'component')}.`,
    )
}

/** What only some workspaces ask of the gate. */
function printAsked({ ssvc, support, images, crashes }: DeploymentPreview['gate']): void {
  if (crashes) printCrashes(crashes)
  if (ssvc) printUrgency(ssvc)
  if (support) printLine(describeSupport(support))
  for (const { demand, fileName, versionName, detail } of images?.failing ?? [])
    printLine(sanitise(`${fileName ?? versionName}, ${demand}: ${detail}`))
}

/** Which crashes are new, and on how many devices that stands. */
function printCrashes({
  versions,
  failing,
}: NonNullable<DeploymentPreview['gate']['crashes']>): void {
  for (const { versionName, ...reporting } of versions ?? [])
    printLine(sanitise(`Crashes of ${versionName}: ${describeReporting(reporting)}.`))
  for (const { title, versionName, unknownBecause, deviceCount } of failing) {
    const what = unknownBecause ? OBSTACLES[unknownBecause] : 'new'
    const devices = formatCount(deviceCount, 'device')
    printLine(sanitise(`Crash of ${versionName} on ${devices}, ${what}: ${title}`))
  }
}

/** Which findings stop it, and that what is not known counts as its most urgent value. */
function printUrgency(ssvc: NonNullable<DeploymentPreview['gate']['ssvc']>): void {
  const { from, count, uncertainCount, acceptedCount, findings } = ssvc
  const ignored = acceptedCount > 0 ? `, ${acceptedCount} ignored` : ''
  printLine(sanitise(`SSVC: ${formatCount(count, 'finding')} from ${from} on${ignored}.`))
  for (const { cveId, componentName, ssvcOutcome, ssvcLeastOutcome } of findings) {
    const outcome =
      ssvcOutcome === ssvcLeastOutcome ? ssvcOutcome : `${ssvcLeastOutcome} to ${ssvcOutcome}`
    printLine(sanitise(`  ${cveId} in ${componentName}: ${outcome}`))
  }
  if (count > findings.length) printLine(`  and ${count - findings.length} more`)
  if (uncertainCount > 0)
    printLine(
      `  What is not known counts as its most urgent value: ${formatCount(uncertainCount, 'finding')} may be less urgent.`,
    )
}

const SUPPORT_VERDICTS = { Fails: 'not held', NotKnown: 'not known', Passes: 'held' }

function describeSupport(support: NonNullable<DeploymentPreview['gate']['support']>): string {
  const { rule, verdict, endedCount, endingBeforePromiseCount, notKnownCount } = support
  const parts = [
    `${formatCount(endedCount, 'component')} out of support`,
    ...(rule === 'UntilPromise'
      ? [
          support.withoutPromiseCount > 0
            ? `no promised end for ${formatCount(support.withoutPromiseCount, 'version')}`
            : `${endingBeforePromiseCount} end before the promise`,
        ]
      : []),
    `${notKnownCount} not known`,
  ]
  return `Support (${rule}): ${SUPPORT_VERDICTS[verdict]}; ${parts.join(', ')}.`
}

function showPreview(preview: DeploymentPreview, { json }: CreateOptions): void {
  const stands = preview.obstacles.some(({ blocks }) => blocks) || preview.gate.blocked
  if (stands) getTerminal().exitCode = EXIT.error
  if (json) {
    printJson(preview)
    return
  }
  const { deviceCount, net, gate, obstacles } = preview
  printLine(`It would go to ${formatCount(deviceCount, 'device')}.`)
  const { removed, introduced } = net
  printLine(
    `Findings: ${removed.count} would go (${removed.knownExploited} known exploited), ${introduced.count} would come (${introduced.knownExploited} known exploited).`,
  )
  printGate(gate)
  for (const { blocks, detail } of obstacles)
    printLine(sanitise(`${blocks ? 'In the way' : 'Note'}: ${detail}`))
  printLine('Dry run: nothing was changed.')
}
