/** Assesses or ignores findings: one by its id, or those of a vulnerability in a component or version. */
import type { Command } from 'commander'
import {
  ASSESSMENT,
  VEX_JUSTIFICATION,
  VEX_RESPONSE,
  type BodyOf,
  type BulkTriageOutcome,
  type FindingDetail,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { withWayToList } from '../not-found.ts'
import type { AssessFinding } from '../findings.ts'
import { findNamedVersionId } from '../firmware-version.ts'
import { asComponent, readOneOf } from '../option-values.ts'
import { formatCount, note } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { readTerms, type TermOptions, withTerms } from './findings-terms.ts'
import {
  findFindingId,
  type FindingOptions,
  isVulnerability,
  withFinding,
} from './findings-show.ts'

interface DecideOptions extends ConnectionOptions, FindingOptions, ConfirmOptions {
  dryRun?: boolean
  line?: string
  alsoFuture?: boolean
}

interface AssessOptions extends DecideOptions {
  assessment: AssessFinding['assessment']
  justification?: AssessFinding['justification']
  detail?: string
  response?: AssessFinding['response']
}

export function addFindingsDecide(findings: Command): void {
  withFuture(withDecision(findings.command('assess')))
    .description('Assess a finding, or all of a vulnerability in a version or component')
    .requiredOption('--assessment <word>', ASSESSMENT.join(', '), readOneOf(ASSESSMENT))
    .option(
      '--justification <word>',
      `why it is not affected, or a false positive: ${VEX_JUSTIFICATION.join(', ')}`,
      readOneOf(VEX_JUSTIFICATION),
    )
    .option('--detail <text>', 'reason in your own words')
    .option(
      '--response <word>',
      `what is done: ${VEX_RESPONSE.join(', ')}`,
      readOneOf(VEX_RESPONSE),
    )
    .action(assess)

  withTerms(withFuture(withDecision(findings.command('ignore'))))
    .description('Ignore a finding, or all of a vulnerability; assessments stay')
    .action(ignore(true))

  withDecision(findings.command('unignore'))
    .description('Stop ignoring a finding, or all of a vulnerability')
    .action(ignore(false))
}

function withDecision(command: Command): Command {
  return withConfirmation(withConnection(withFinding(command)))
    .option('--line <slug@line>', 'in all versions of this release line, such as "gateway@2.x LTS"')
    .option('--dry-run', 'count what would change, and change nothing')
}

const withFuture = (command: Command) =>
  command.option(
    '--also-future',
    'it also holds for findings to come; with --line for those of the line alone',
  )

type Selection = Pick<BodyOf<'ignoreVulnerabilityFindings'>, 'findingIds' | 'filter' | 'alsoFuture'>
type BulkBody = Selection & { dryRun: boolean; expectedMatched?: number }

/** A decision, and how it is sent for one finding and for many. */
interface Decision {
  words: string
  decideOne: (session: Session, findingId: string) => Promise<FindingDetail>
  decideMany: (session: Session, body: BulkBody) => Promise<BulkTriageOutcome>
}

async function assess(
  finding: string,
  version: string | undefined,
  options: AssessOptions,
): Promise<void> {
  const { assessment, justification, detail, response } = options
  const stated = {
    assessment,
    ...(justification && { justification }),
    ...(detail !== undefined && { detail }),
    ...(response && { response }),
  }
  await decide({ finding, version }, options, {
    words: `assessed as ${assessment}`,
    decideOne: ({ client, workspaceId }, findingId) =>
      client.post(`${FINDINGS}/{findingId}/assessments`, {
        params: { workspaceId, findingId },
        body: stated,
      }),
    decideMany: ({ client, workspaceId }, body) =>
      client.post(`${FINDINGS}/bulk-assess`, {
        params: { workspaceId },
        body: { ...body, ...stated },
      }),
  })
}

const FINDINGS = '/workspaces/{workspaceId}/vulnerability-findings'

const ignore =
  (ignored: boolean) =>
  async (
    finding: string,
    version: string | undefined,
    options: DecideOptions & TermOptions,
  ): Promise<void> => {
    const acceptance = ignored ? await readTerms(await openSession(options), options) : undefined
    const terms = acceptance && { acceptance }
    return decide({ finding, version }, options, {
      words: ignored ? 'ignored' : 'no longer ignored',
      decideOne: ({ client, workspaceId }, findingId) =>
        client.put(`${FINDINGS}/{findingId}/ignore`, {
          params: { workspaceId, findingId },
          body: { ignored, ...terms },
        }),
      decideMany: ({ client, workspaceId }, body) =>
        client.post(`${FINDINGS}/bulk-ignore`, {
          params: { workspaceId },
          body: { ...body, ignored, ...terms },
        }),
    })
  }

interface FindingName {
  finding: string
  version: string | undefined
}

async function decide(
  name: FindingName,
  options: DecideOptions,
  decision: Decision,
): Promise<void> {
  const session = await openSession(options)
  const selection = await selectFindings(session, name, options)
  const isPreviewed = selection.filter !== undefined || options.dryRun === true
  const preview = isPreviewed
    ? await decision.decideMany(session, { ...selection, dryRun: true })
    : undefined
  if (options.dryRun && preview) return printPreview(preview, options, decision)
  const isWide = selection.filter !== undefined && !selection.filter.firmwareVersionIds
  if (preview && (preview.matched > 1 || isWide || selection.alsoFuture === true))
    return decideTogether(session, { name, options, decision, selection, preview })
  const findingId = selection.findingIds?.[0] ?? (await findFindingId(session, name, options))
  show(await decision.decideOne(session, findingId), options)
}

/** A finding by its id, or all of a vulnerability: of all versions, where none is named. */
async function selectFindings(
  session: Session,
  { finding, version }: FindingName,
  options: DecideOptions,
): Promise<Selection> {
  const { component, line, alsoFuture = false } = options
  const isWide = line !== undefined || alsoFuture
  if (!isVulnerability(finding) && !isWide) return { findingIds: [finding] }
  if (!isVulnerability(finding))
    throw usageError('--line and --also-future need a CVE id in place of the id of a finding.')
  const firmwareVersionId = await findNamedVersionId(session, version, options)
  if (firmwareVersionId !== undefined && isWide)
    throw usageError('--line and --also-future need no version: they are about several.')
  return {
    filter: {
      cveIds: [finding],
      ...(component !== undefined && { components: [asComponent(component)] }),
      ...(firmwareVersionId !== undefined && { firmwareVersionIds: [firmwareVersionId] }),
      ...(line !== undefined && { lineIds: [line] }),
    },
    ...(alsoFuture && { alsoFuture }),
  }
}

function printPreview(
  answer: BulkTriageOutcome,
  options: DecideOptions,
  { words }: Decision,
): void {
  const { matched, changed, endedAtOnce = 0 } = answer
  const over = endedAtOnce > 0 ? `; ${endedAtOnce} not, as a condition is met already` : ''
  const text = `${formatCount(changed, 'finding')} of ${matched} would be ${words}${over}`
  printDone(options, { answer, text })
}

interface ManyFindings {
  name: FindingName
  options: DecideOptions
  decision: Decision
  selection: Selection
  preview: BulkTriageOutcome
}

/** "in xz of the line gateway@2.x LTS and to come" */
function describePlace(
  { filter, alsoFuture = false }: Selection,
  version: string | undefined,
  { component, line, ...named }: DecideOptions,
): string {
  const ofVersions = line === undefined ? 'of all firmware versions' : `of the line ${line}`
  return [
    ...(component === undefined ? [] : [`in ${component}`]),
    filter?.firmwareVersionIds
      ? `of ${version ?? `${named.firmware}@${named.version}`}`
      : ofVersions,
    ...(alsoFuture ? ['and to come'] : []),
  ].join(' ')
}

/** Asks with true counts, and decides only if these still hold. */
async function decideTogether(
  session: Session,
  { name: { finding, version }, options, decision, selection, preview }: ManyFindings,
): Promise<void> {
  const { matched, assessments } = preview
  const place = describePlace(selection, version, options)
  if (matched === 0 && selection.alsoFuture !== true)
    throw usageError(withWayToList(`There is no finding of ${finding} ${place}.`, 'finding'))
  const before = assessments.map(({ assessment, count }) => `${count} ${assessment}`).join(', ')
  const many = `${formatCount(matched, 'finding')} of ${finding} ${place}`
  if (matched > 1)
    await confirm(`${many} (now ${before}) will be ${decision.words}. Go on?`, options)
  const answer = await decision.decideMany(session, {
    ...selection,
    dryRun: false,
    expectedMatched: matched,
  })
  const { changed, decisionBatchId, endedAtOnce = 0 } = answer
  const over = endedAtOnce > 0 ? `; ${endedAtOnce} of them not, as a condition is met already` : ''
  const text = `${many}: ${changed} ${changed === 1 ? 'is' : 'are'} now ${decision.words}${over}`
  printDone(options, {
    answer,
    ...(decisionBatchId !== undefined && { id: decisionBatchId }),
    text:
      decisionBatchId === undefined
        ? text
        : `${text}\nTake it back with: plimsoll findings undo ${decisionBatchId}`,
  })
}

function show(answer: FindingDetail, options: ConnectionOptions): void {
  const { cve, component, assessment, ignored, acceptance, isActive } = answer
  const name = [component.name, component.version].filter((part) => part !== null).join(' ')
  const ended =
    acceptance?.ended && !ignored
      ? `, accepted no longer: ${acceptance.ended.causes.join(', ')}`
      : ''
  const state = ignored ? `${assessment}, ignored` : `${assessment}${ended}`
  printDone(options, {
    answer,
    text: `${cve.id} in ${name}: ${state}${isActive ? '' : '; not active'}`,
  })
  if (!options.json) note('Take it back with: plimsoll findings undo')
}
