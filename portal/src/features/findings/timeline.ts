/** What happened around a finding, of all that tells of it, as one list. */
import {
  type Exposure,
  type FindingDetail,
  nameDeploymentState,
  type PastVulnerability,
  type WorkspaceVulnerabilityDetail,
} from '@plimsoll/api-client'
import { describeCauses, describeEnds } from '../../components/decision/acceptance-words.ts'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { formatCountOf } from '../../format/counts.ts'
import { formatSource } from '../../format/sources.ts'

type Entry = FindingDetail['timeline'][number]

export interface Event {
  at: string
  tone: 'detected' | 'decided' | 'published' | 'fixed'
  text: string
  note: string
  /** The command that decided, which can be taken back, and what it decided. */
  batch?: NonNullable<WorkspaceVulnerabilityDetail['timeline'][number]['decisionBatch']>
  undoText?: string
}

/** Lists the events of one version, newest first. */
export function listEvents(finding: FindingDetail): Event[] {
  return sortEvents([
    ...finding.timeline.map(ofEntry),
    ...finding.exploitedSources.map(ofExploitedList),
  ])
}

/** Lists the events of all versions, newest first. Decisions of one command are one event, and so is all that was found on one day. */
export function listVulnerabilityEvents(
  about: WorkspaceVulnerabilityDetail,
  exposure?: Exposure,
): Event[] {
  const { timeline, records, vulnerability, findings } = about
  return sortEvents([
    ...timeline.map(ofDecision),
    ...listDetections(findings),
    ...(vulnerability?.exploitedSources ?? []).map(ofExploitedList),
    ...records.flatMap(ofRecord),
    ...ofFixes(about, exposure),
  ])
}

/** Lists what had happened by a past instant, of which nothing can be taken back. */
export function listPastEvents({
  timeline,
  findings,
  exploitedSources,
}: PastVulnerability): Event[] {
  return sortEvents([
    ...timeline.map((entry) => ofDecision({ ...entry, decisionBatch: null })),
    ...listDetections(findings),
    ...exploitedSources.map(ofExploitedList),
  ])
}

const sortEvents = (events: readonly Event[]) =>
  events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))

const ofExploitedList = ({
  source,
  dateAdded,
}: FindingDetail['exploitedSources'][number]): Event => ({
  at: `${dateAdded}T00:00:00Z`,
  tone: 'detected',
  text: `Listed as exploited by ${formatSource(source)}`,
  note: '',
})

function ofDecision(entry: WorkspaceVulnerabilityDetail['timeline'][number]): Event {
  const { type, timestamp, assessment, findingCount, firmwareVersionCount, detail } = entry
  const state = type === 'Assessment' ? describeAssessment(assessment) : TEXTS[type]
  const who = entry.createdByEmail ?? BY[entry.source]
  const what = entry.isUndo ? `Taken back; ${state} again` : state
  const rest = firmwareVersionCount - entry.firmwareVersions.length
  const where = [...entry.firmwareVersions, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  const { decisionBatch: batch } = entry
  return {
    at: timestamp,
    tone: 'decided',
    text: `${what} for ${formatCountOf(findingCount, 'finding')}${who === '' ? '' : `, by ${who}`}`,
    note: [where, detail].filter(Boolean).join(' · '),
    ...(batch && { batch, undoText: state }),
  }
}

/** "Found in 7 versions", by day: the SBOMs of a release are read one after the other. */
function listDetections(findings: PastVulnerability['findings']): Event[] {
  const byDay = Map.groupBy(findings, ({ detectedAt }) => detectedAt.slice(0, 10))
  return [...byDay.values()].flatMap((own) => {
    const [first] = own.map(({ detectedAt }) => detectedAt).toSorted()
    const versions = new Map(own.map(({ firmwareVersion: one }) => [one.id, one]))
    const names = [...versions.values()].map(({ firmware, name }) => `${firmware.name} ${name}`)
    const note = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '')
    const text = `Found in ${formatCountOf(versions.size, 'version')}`
    return first === undefined ? [] : [{ at: first, tone: 'detected' as const, text, note }]
  })
}

const NAMED = 3

function ofEntry(entry: Entry): Event {
  const { type, timestamp, cause, assessment } = entry
  const who = entry.createdByEmail ?? authorOf(entry) ?? BY[entry.source ?? 'System']
  const state = assessment ? describeAssessment(assessment.assessment) : TEXTS[type]
  const what = entry.isUndo === true ? `Taken back; ${state} again` : state
  return {
    at: timestamp,
    tone: toneOf(type),
    text: who === '' ? what : `${what}, by ${who}`,
    note: [
      assessment?.detail,
      entry.line && describeLine(entry.line),
      documentNote(entry),
      assessment?.recheckReason,
      describeCause(cause),
      describeTerms(entry),
    ]
      .filter(Boolean)
      .join(' · '),
  }
}

const describeLine = ({ name }: NonNullable<Entry['line']>) =>
  `for ${name === null ? 'a release line that is gone' : `the line ${name}`} alone`

/** What was said when it was ignored; what ended it, where that was so. */
function describeTerms({ type, acceptance }: Entry): string {
  if (!acceptance) return ''
  const { until, conditions, reason, ended } = acceptance
  if (type === 'Unignored') return ended ? describeCauses(ended.causes) : ''
  return [reason, describeEnds(until, conditions)].filter(Boolean).join(' · ')
}

function authorOf({ statedIn }: Entry): string | undefined {
  return statedIn?.author ?? undefined
}

/** The document behind a decision, and who imported it. */
function documentNote({ statedIn }: Entry): string {
  if (!statedIn) return ''
  const { author, documentId, sbomFileName, importedByEmail } = statedIn
  const name = sbomFileName ?? documentId ?? 'a VEX document'
  const by = author === null ? '' : ` of ${author}`
  return `${name}${by}${importedByEmail === null ? '' : `, imported by ${importedByEmail}`}`
}

function toneOf(type: Entry['type']): Event['tone'] {
  if (type === 'Detected' || type === 'Reopened') return 'detected'
  return type === 'Published' ? 'published' : 'decided'
}

const TEXTS: Record<Entry['type'], string> = {
  Published: 'Published',
  Detected: 'Found here',
  Assessment: 'Assessed',
  Ignored: 'Ignored',
  Unignored: 'No longer ignored',
  Resolved: 'Gone',
  Reopened: 'Back',
}

/** What happened to the knowledge or to the SBOMs. */
const CAUSES: Readonly<Record<string, string>> = {
  PackageMatched: 'what the SBOM names was looked up',
  KnowledgeChanged: 'a source changed what it says',
  SbomParsed: 'an SBOM was read',
  SbomDeleted: 'an SBOM was deleted',
  OverrideChanged: 'an override was changed',
  RulesChanged: 'a newer version of Plimsoll compares otherwise',
}

/** A cause that this page does not know yet is left out. */
const describeCause = (cause: string | null | undefined) => cause && CAUSES[cause]

const BY = {
  User: '',
  ApiKey: 'a key',
  Vex: 'a VEX document',
  Build: 'the build',
  CarriedOver: 'carry-over',
  System: '',
}

function ofRecord({
  source,
  id,
  isWithdrawn,
  modifiedAt,
}: WorkspaceVulnerabilityDetail['records'][number]): Event[] {
  if (modifiedAt === null) return []
  const what = isWithdrawn ? 'withdrawn' : 'last changed'
  const name = formatSource(source)
  return [{ at: modifiedAt, tone: 'published', text: `Record of ${name} ${what}`, note: id }]
}

/** Versions that hold the fix: when they were released, and when they were rolled out. */
function ofFixes(about: WorkspaceVulnerabilityDetail, exposure: Exposure | undefined): Event[] {
  const fixed = new Set(about.fixedIn.map(({ firmwareVersion }) => firmwareVersion.id))
  const releases = (exposure?.releases ?? []).filter((one) => fixed.has(one.firmwareVersionId))
  const rollouts = (exposure?.rollouts ?? []).filter((one) =>
    fixed.has(one.firmwareVersionId ?? ''),
  )
  return [
    ...releases.map(({ at, firmwareName, version }) =>
      fix(at, `${firmwareName} ${version} released, without it`),
    ),
    ...rollouts.flatMap(({ startedAt, endedAt, state, firmwareVersionName, cohortName }) => {
      const what = `${firmwareVersionName ?? 'the fix'} to ${cohortName}`
      const end =
        endedAt === null
          ? []
          : [fix(endedAt, `Roll-out of ${what} ended`, nameDeploymentState({ state }))]
      return [fix(startedAt, `Roll-out of ${what} began`), ...end]
    }),
  ]
}

function fix(at: string, text: string, note = ''): Event {
  return { at, tone: 'fixed', text, note }
}
