/** What happened around a finding, of all that tells of it, as one list. */
import type { Exposure, FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { SOURCE_NAMES } from './evidence.ts'

type Entry = FindingDetail['timeline'][number]

export interface Event {
  at: string
  tone: 'detected' | 'decided' | 'published' | 'fixed'
  text: string
  note: string
}

/** Newest first. Records, releases and roll-outs are added as far as they are known. */
export function listEvents(
  finding: FindingDetail,
  about?: WorkspaceVulnerabilityDetail,
  exposure?: Exposure,
): Event[] {
  return [
    ...finding.timeline.map(ofEntry),
    ...finding.exploitedSources.map(({ source, dateAdded }) => ({
      at: `${dateAdded}T00:00:00Z`,
      tone: 'detected' as const,
      text: `Listed as exploited by ${source.toUpperCase()}`,
      note: '',
    })),
    ...(about?.records ?? []).flatMap(ofRecord),
    ...ofFixes(about, exposure),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

function ofEntry(entry: Entry): Event {
  const { type, timestamp, cause, assessment } = entry
  const who = entry.createdByEmail ?? authorOf(entry) ?? BY[entry.source ?? 'System']
  const state = assessment ? describeAssessment(assessment.assessment) : TEXTS[type]
  const what = entry.isUndo === true ? `Taken back; ${state} again` : state
  return {
    at: timestamp,
    tone: toneOf(type),
    text: who === '' ? what : `${what}, by ${who}`,
    note: [assessment?.detail, documentNote(entry), assessment?.recheckReason, cause]
      .filter(Boolean)
      .join(' · '),
  }
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
  const name = SOURCE_NAMES[source] ?? source
  return [{ at: modifiedAt, tone: 'published', text: `Record of ${name} ${what}`, note: id }]
}

/** Versions that hold the fix: when they were released, and when they were rolled out. */
function ofFixes(
  about: WorkspaceVulnerabilityDetail | undefined,
  exposure: Exposure | undefined,
): Event[] {
  const fixed = new Set(about?.fixedIn.map(({ firmwareVersion }) => firmwareVersion.id))
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
      const end = endedAt === null ? [] : [fix(endedAt, `Roll-out of ${what} ended`, state)]
      return [fix(startedAt, `Roll-out of ${what} began`), ...end]
    }),
  ]
}

function fix(at: string, text: string, note = ''): Event {
  return { at, tone: 'fixed', text, note }
}
