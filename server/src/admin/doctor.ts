/** `admin doctor`: examines what the service derives, counts and relies on, and repairs what is derived. */
import { type Command, CommanderError } from 'commander'
import { backupChecks } from '../backup/health.ts'
import { describeFailure } from '../describe-failure.ts'
import { advisoryChecks } from '../features/advisories/index.ts'
import { alertChecks } from '../features/alert-evaluation/index.ts'
import { artifactChecks } from '../features/artifacts/index.ts'
import { sealChecks } from '../features/audit/index.ts'
import { cohortChecks } from '../features/cohorts/index.ts'
import { crashChecks } from '../features/crashes/index.ts'
import { customerChecks } from '../features/customers/index.ts'
import { deploymentChecks } from '../features/deployments/index.ts'
import { deviceChecks } from '../features/devices/index.ts'
import { sourceChecks } from '../features/feeds/index.ts'
import { findingChecks } from '../features/findings/index.ts'
import { imageChecks } from '../features/image-checks/index.ts'
import { incidentChecks } from '../features/incidents/index.ts'
import { licenceChecks } from '../features/licences/index.ts'
import { matchingChecks } from '../features/matching/index.ts'
import { notificationChecks } from '../features/notifications/index.ts'
import { quotaChecks } from '../features/quotas/index.ts'
import { gateChecks } from '../features/release-gate/index.ts'
import { reportChecks } from '../features/reports/index.ts'
import { sbomChecks } from '../features/sboms/index.ts'
import { supportChecks } from '../features/support/index.ts'
import { telemetryChecks } from '../features/telemetry/index.ts'
import { vexChecks } from '../features/vex/index.ts'
import { listWorkspaceIds } from '../features/workspaces/index.ts'
import type { AppContext } from '../platform/context.ts'
import { createDb } from '../platform/db/connect.ts'
import { isSchemaAmiss } from '../platform/db/failures.ts'
import {
  type Check,
  type CheckFaults,
  type ExamineOptions,
  MOST_SHOWN,
} from '../platform/doctor/check.ts'
import { createClockCheck } from '../clock/checks-service.ts'
import {
  findOtherSchema,
  installationChecks,
  schemaCheck,
} from '../platform/doctor/installation-checks.ts'
import { invalid } from '../platform/errors.ts'
import { withPool } from './open-pool.ts'
import { requireWorkspace } from './require-workspace.ts'
import { secretsCheck } from '../stored-secrets.ts'
import type { CommandMeans } from './sboms.ts'

/** Slices up, so that what is repaired first is what later ones are counted from. */
export const CHECKS: readonly Check[] = [
  ...installationChecks,
  createClockCheck(Date.now),
  secretsCheck,
  ...backupChecks,
  ...notificationChecks,
  ...deviceChecks,
  ...cohortChecks,
  ...customerChecks,
  ...artifactChecks,
  ...imageChecks,
  ...sbomChecks,
  ...licenceChecks,
  ...sourceChecks,
  ...advisoryChecks,
  ...matchingChecks,
  ...supportChecks,
  ...findingChecks,
  ...gateChecks,
  ...vexChecks,
  ...telemetryChecks,
  ...crashChecks,
  ...quotaChecks,
  ...sealChecks,
  ...deploymentChecks,
  ...incidentChecks,
  ...alertChecks,
  ...reportChecks,
]

export interface CheckReport {
  name: string
  meaning: string
  /** `CouldNotCheck`: the check itself failed, so nothing is known. */
  state: 'Clean' | 'Faults' | 'CouldNotCheck'
  /** null: nothing is known. */
  faultCount: number | null
  faults: readonly string[]
  notJudged: readonly string[]
  /** What an operator does about the faults, or may do better. */
  advice: readonly string[]
  /** How many faults were repaired. */
  repaired: number
  canRepair: boolean
  error: string | null
  seconds: number
}

export interface Examination extends ExamineOptions {
  checks: readonly Check[]
  workspaceIds: readonly string[]
  repairs: boolean
}

export async function examine(ctx: AppContext, asked: Examination): Promise<CheckReport[]> {
  const reports: CheckReport[] = []
  for (const [index, check] of asked.checks.entries()) {
    asked.onProgress(`${index + 1} of ${asked.checks.length}: ${check.name}`)
    reports.push(await reportOn(check, () => findAll(ctx, check, asked)))
  }
  return reports
}

/** `find`: what the check finds, in all workspaces that it is asked about. */
async function reportOn(
  { name, meaning, repair, remedy }: Check,
  find: () => Promise<CheckOutcome>,
): Promise<CheckReport> {
  const began = performance.now()
  const ended = (found: Partial<CheckReport>): CheckReport => ({
    name,
    meaning,
    state: 'Clean',
    faultCount: 0,
    faults: [],
    notJudged: [],
    advice: [],
    repaired: 0,
    canRepair: repair !== undefined,
    error: null,
    ...found,
    seconds: Math.round(performance.now() - began) / 1_000,
  })
  try {
    const found = await find()
    const { repaired, faultCount, faults, notJudged = [] } = found
    const state = faultCount > 0 ? 'Faults' : 'Clean'
    const forFaults = remedy !== undefined && faultCount > 0 ? [remedy] : []
    const advice = [...(found.advice ?? []), ...forFaults]
    return ended({ state, faultCount, faults, notJudged, advice, repaired })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return ended({ state: 'CouldNotCheck', faultCount: null, error: text })
  }
}

type CheckOutcome = CheckFaults & { repaired: number }

async function findAll(ctx: AppContext, check: Check, asked: Examination): Promise<CheckOutcome> {
  if (check.scope === 'Installation')
    return findAndRepair(
      asked,
      () => check.find(ctx, asked),
      check.repair && (() => check.repair?.(ctx, asked)),
    )
  let sum: CheckOutcome = { faultCount: 0, faults: [], notJudged: [], repaired: 0 }
  for (const [index, workspaceId] of asked.workspaceIds.entries()) {
    if (index > 0 && index % 100 === 0)
      asked.onProgress(`  ${index} of ${asked.workspaceIds.length} workspaces`)
    const find = () => check.find(ctx, workspaceId, asked)
    const repair = check.repair && (() => check.repair?.(ctx, workspaceId, asked))
    sum = added(sum, await findAndRepair(asked, find, repair), workspaceId)
  }
  return sum
}

async function findAndRepair(
  { repairs }: Examination,
  find: () => Promise<CheckFaults>,
  repair: (() => Promise<void> | undefined) | undefined,
): Promise<CheckOutcome> {
  const found = await find()
  if (!repairs || !repair || found.faultCount === 0) return { ...found, repaired: 0 }
  await repair()
  const left = await find()
  return { ...left, repaired: found.faultCount - left.faultCount }
}

function added(
  sum: CheckOutcome,
  { faultCount, faults, notJudged = [], repaired }: CheckOutcome,
  of: string,
): CheckOutcome {
  const named = (texts: readonly string[]) => texts.map((text) => `workspace ${of}: ${text}`)
  return {
    faultCount: sum.faultCount + faultCount,
    faults: [...sum.faults, ...named(faults)].slice(0, MOST_SHOWN),
    notJudged: [...(sum.notJudged ?? []), ...named(notJudged)].slice(0, MOST_SHOWN),
    repaired: sum.repaired + repaired,
  }
}

const EXIT_CLEAN = 0
const EXIT_FAULTS = 1
const EXIT_COULD_NOT_CHECK = 3

export function chooseExitCode(reports: readonly CheckReport[]): number {
  if (reports.some(({ state }) => state === 'Faults')) return EXIT_FAULTS
  return reports.some(({ state }) => state === 'CouldNotCheck') ? EXIT_COULD_NOT_CHECK : EXIT_CLEAN
}

function inWords({ name, meaning, state, canRepair, ...report }: CheckReport): string {
  const { faultCount, faults, notJudged, advice, repaired, error } = report
  const rest = (faultCount ?? 0) - faults.length
  const lines = [
    ...(state === 'Clean' ? [`ok      ${name}: ${meaning}`] : []),
    ...(state === 'Faults'
      ? [`FAULTS  ${name}: ${faultCount}; ${meaning}${canRepair ? ' (--repair can)' : ''}`]
      : []),
    ...(state === 'CouldNotCheck' ? [`UNKNOWN ${name}: could not check: ${error}`] : []),
    ...(repaired > 0 ? [`        repaired: ${repaired}`] : []),
    ...faults.map((fault) => `        ${fault}`),
    ...(rest > 0 ? [`        … and ${rest} more`] : []),
    ...notJudged.map((text) => `        not judged: ${text}`),
    ...advice.map((text) => `        advice: ${text}`),
  ]
  return `${lines.join('\n')}\n`
}

interface Doctor {
  workspace?: string
  check?: string[]
  repair?: boolean
  files: boolean
  deep?: boolean
  json?: boolean
}

/** Nothing else can be examined where a table is missing that the context is opened with. */
function examineSchemaAlone(): Promise<CheckReport> {
  return withPool((pool) =>
    reportOn(schemaCheck, async () => {
      const found = await findOtherSchema({ db: createDb(pool) })
      return { ...found, repaired: 0 }
    }),
  )
}

/** Wrong usage would say that there are faults, too. */
function endAsUnchecked(error: CommanderError): never {
  const { exitCode, code, message } = error
  throw exitCode === 0 ? error : new CommanderError(EXIT_COULD_NOT_CHECK, code, message)
}

export function addDoctorCommand(program: Command, { withContext, print }: CommandMeans): void {
  const answer = (reports: CheckReport[], json: boolean | undefined) => {
    if (json === true) print(true, { checks: reports })
    else process.stdout.write(reports.map(inWords).join(''))
    process.exitCode = chooseExitCode(reports)
  }
  program
    .command('doctor')
    .exitOverride(endAsUnchecked)
    .description(
      'Examine the schema, counters, facts, files, jobs and clocks; exit code 0: clean, 1: faults, 3: could not check',
    )
    .option('--workspace <id>', 'examine only this workspace, and what is not of a workspace')
    .option('--check <names...>', 'only these checks')
    .option('--repair', 'make derived data anew where it is wrong; also while the service runs')
    .option('--no-files', 'do not read the bytes of stored files')
    .option('--deep', 'compute all matches and all rolled-up hours again, not only a sample')
    .option('--json', 'answer as JSON')
    .action(async ({ workspace, check, repair = false, files, deep = false, json }: Doctor) => {
      try {
        const checks = chosenChecks(check)
        const reports = await withContext(async (ctx) =>
          examine(ctx, {
            checks,
            workspaceIds:
              workspace === undefined
                ? await listWorkspaceIds(ctx.db)
                : [await requireWorkspace(ctx, workspace)],
            repairs: repair,
            readsFiles: files,
            isDeep: deep,
            onProgress: (text) => process.stderr.write(`${text}\n`),
          }),
        )
        answer(reports, json)
      } catch (error) {
        // Other commands end with 1, which would say that there are faults.
        process.stderr.write(`${describeFailure(error)}\n`)
        process.exitCode = EXIT_COULD_NOT_CHECK
        if (isSchemaAmiss(error)) answer([await examineSchemaAlone()], json)
      }
    })
}

function chosenChecks(names: readonly string[] | undefined): readonly Check[] {
  for (const name of names ?? [])
    if (!CHECKS.some((check) => check.name === name))
      throw invalid(
        `No check is called ${name}. They are: ${CHECKS.map((one) => one.name).join(', ')}.`,
      )
  return names ? CHECKS.filter(({ name }) => names.includes(name)) : CHECKS
}
