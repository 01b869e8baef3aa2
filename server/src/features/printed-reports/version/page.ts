/** The report of a firmware version. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import { renderHtml, type Html } from '../../../platform/html.ts'
import type { readCoverage } from '../../coverage/index.ts'
import type { AffectedDevices, getFirmwareVersion, readMark } from '../../firmware/index.ts'
import type { assessGate } from '../../release-gate/index.ts'
import type { listSboms } from '../../sboms/index.ts'
import { renderDevices, type ReportedDevices } from '../sheet/devices.ts'
import {
  type Imprint,
  renderFacts,
  renderList,
  renderSection,
  renderSheet,
  renderTable,
  renderWarning,
} from '../sheet/sheet.ts'
import { renderSources, type SourceAge } from '../sheet/sources.ts'
import { formatTime, nameFormat } from '../sheet/words.ts'
import { renderCounts, sumCounts } from './counts-table.ts'
import { renderFindings } from './findings-table.ts'
import type { CountedFindings, ReportedFinding } from './store.ts'

export interface VersionReport {
  workspaceId: string
  version: Awaited<ReturnType<typeof getFirmwareVersion>>
  imprint: Imprint
  mark: Awaited<ReturnType<typeof readMark>>
  gate: Awaited<ReturnType<typeof assessGate>>
  coverage: Awaited<ReturnType<typeof readCoverage>>
  sboms: Awaited<ReturnType<typeof listSboms>>
  sources: readonly SourceAge[]
  counts: readonly CountedFindings[]
  activeFindings: readonly ReportedFinding[]
  otherFindings: readonly ReportedFinding[]
  devices: ReportedDevices
  seen: AffectedDevices['affectedDevices']
}

export function renderVersionReport(report: VersionReport): string {
  const { workspaceId, version, imprint, counts } = report
  const title = `${version.firmware.name} ${version.name}`
  const count = (isActive: boolean) => sumCounts(counts, (one) => one.isActive === isActive)
  return renderSheet({
    kind: 'Report of a firmware version',
    title,
    imprint,
    page: formatPortalPath('firmwareVersion', { workspaceId, firmwareVersionId: version.id }),
    body: [
      renderVerdict(report),
      renderCounts(counts),
      renderNotJudged(report),
      renderSboms(report),
      renderSources(report.sources, imprint.printedAt),
      renderFindings('Findings that count', {
        rows: report.activeFindings,
        total: count(true),
        none: `No finding counts. Read it with the section "What could not be judged".`,
      }),
      renderFindings('Findings that do not count', {
        rows: report.otherFindings,
        total: count(false),
        none: 'There are none.',
        meaning:
          'They are decided as not affected, false positive or resolved, are ignored, or match with low confidence and nobody confirmed them.',
      }),
      renderDevices(describeRunning(report), report.devices),
    ],
  })
}

const VERDICT_WORDS = {
  Passes: 'passes',
  Warns: 'warns',
  Blocks: 'blocks',
  Unknown: 'not known',
} as const

const MODES = {
  Off: 'The release gate is off: deployments of any version are let through.',
  Warn: 'The release gate warns: deployments go on, and say what they ship.',
  Block:
    'The release gate blocks: a version that it stops is deployed only by somebody who says why.',
} as const

/** Where the release line of the version says otherwise than the workspace. */
function describeLine({ rules }: VersionReport['gate']): string {
  const line = rules.find((rule) => rule.line)?.line
  return line ? ` So says its release line, ${line.name}.` : ''
}

type Verdict = Pick<VersionReport, 'version' | 'mark' | 'gate' | 'sources'>

export function renderVerdict(report: Verdict): Html {
  const { version, mark, gate } = report
  return renderHtml`<p class="lead"><strong>${mark.sentence}.</strong></p>
${renderFacts([
  ['Firmware', `${version.firmware.name} (${version.firmware.slug})`],
  ['Version', version.name],
  ['Created', formatTime(version.createdAt)],
])}
${renderSection(
  'Release gate',
  `${MODES[gate.mode]}${describeLine(gate)} ${describeStop(report)}${describeUrgency(gate.ssvc)}`,
  renderTable(
    [
      { title: 'What was looked at', cell: ({ text }) => text },
      { title: 'Verdict', width: 20, cell: ({ verdict }) => VERDICT_WORDS[verdict] },
    ],
    mark.reasons,
  ),
)}`
}

function countReasons(gate: VersionReport['gate']): number {
  const { undecidedCritical, knownExploited, failingLicenceCount, ssvc, images, crashes } = gate
  const others = (failingLicenceCount ?? 0) + (ssvc?.count ?? 0) + (images?.failing.length ?? 0)
  return undecidedCritical + knownExploited + others + (crashes?.count ?? 0)
}

/** Nothing found is a reason to let pass only where everything was looked at. */
function describeStop({ mark, gate, sources }: Verdict): string {
  const { support } = gate
  if (countReasons(gate) > 0 || support?.verdict === 'Fails')
    return 'It has reasons to stop this version.'
  if (mark.state === 'Unknown')
    return 'It could not be told whether it has a reason to stop this version.'
  if (support?.verdict === 'NotKnown')
    return 'It knows no reason to stop this version, and not of all components until when they are supported.'
  if (sources.some(({ isStale }) => isStale))
    return 'It knows no reason to stop this version, and with sources that are too old it may miss one.'
  return 'It has no reason to stop this version.'
}

function describeUrgency(ssvc: VersionReport['gate']['ssvc']): string {
  if (!ssvc) return ''
  const { from, count, uncertainCount } = ssvc
  const may =
    uncertainCount > 0 ? `, of which ${uncertainCount} may be less urgent once all is known` : ''
  return ` By SSVC it counts ${formatCountOf(count, 'active finding')} from ${from} on${may}.`
}

/** Silence about these is no safety. */
export function renderNotJudged({
  coverage,
  sources,
}: Pick<VersionReport, 'coverage' | 'sources'>): Html {
  const { componentCount, judgedCount, notJudgedCount, excludedCount, notMatchedYet } = coverage
  const inFirmware = componentCount - excludedCount
  const stale = sources.filter(({ isStale }) => isStale).length
  const faults = [
    notMatchedYet.sbomCount > 0 &&
      `${formatCountOf(notMatchedYet.sbomCount, 'SBOM')} still being read or looked up: findings of it are missing.`,
    notMatchedYet.packageCount > 0 &&
      `${formatCountOf(notMatchedYet.packageCount, 'package')} not looked up yet.`,
    stale > 0 && `${formatCountOf(stale, 'source')} too old or never read, see below.`,
    coverage.undecided.recordCount > 0 &&
      `${formatCountOf(coverage.undecided.recordCount, 'record')} that name ${formatCountOf(coverage.undecided.componentCount, 'component')} could not be compared with the version.`,
    ...coverage.reasons.map(
      ({ reason, count, isExcluded }) =>
        `${formatCountOf(count, 'component')}: ${reason}${isExcluded ? ' (left out on purpose)' : ''}.`,
    ),
  ].filter((one) => one !== false)
  const said =
    componentCount === 0
      ? 'No component is known: nothing could be judged.'
      : `${formatNumber(judgedCount)} of ${formatCountOf(inFirmware, 'component')} in the firmware were looked up by a name that the records know. Of ${formatNumber(notJudgedCount)} nothing can be told: no findings of them prove nothing.`
  const isWhole = componentCount > 0 && notJudgedCount === 0
  return renderSection(
    'What could not be judged',
    isWhole ? said : renderWarning(said),
    faults.length === 0 ? null : renderList(faults),
  )
}

function renderSboms({ sboms }: VersionReport): Html {
  if (sboms.length === 0)
    return renderSection('SBOMs', renderWarning('There is no SBOM: nothing could be looked up.'))
  return renderSection(
    'SBOMs',
    renderTable(
      [
        { title: 'File', width: 20, cell: ({ fileName }) => fileName },
        { title: 'Format', width: 16, cell: (one) => nameFormat(one.format, one.specVersion) },
        {
          title: 'Components',
          width: 14,
          isNumber: true,
          cell: (one) => countOf(one.componentCount),
        },
        { title: 'Uploaded', width: 12, cell: ({ createdAt }) => formatTime(createdAt) },
        { title: 'State', width: 10, cell: describeReading },
        {
          title: 'SHA-256',
          cell: ({ sha256 }) => renderHtml`<span class="small">${sha256}</span>`,
        },
      ],
      sboms,
    ),
  )
}

const countOf = (count: number | null) => (count === null ? 'not known' : formatNumber(count))

function describeReading(sbom: VersionReport['sboms'][number]): string {
  if (sbom.parsingState === 'Failed') return 'could not be read'
  if (sbom.parsingState === 'InProgress') return 'being read'
  return sbom.vulnerabilitiesParsedAt === null ? 'read, not looked up yet' : 'read'
}

function describeRunning({ devices: { total }, seen }: VersionReport): string {
  if (total === 0) return 'No device reports that it runs this version.'
  const groups = [
    [seen.runningNow, 'are connected'],
    [seen.seenLastDay, 'were seen within a day'],
    [seen.seenLastWeek, 'were seen within a week'],
    [seen.older, 'were seen longer ago, or never'],
  ] as const
  const said = groups.flatMap(([count, text]) =>
    count === 0 ? [] : [`${formatNumber(count)} ${text}`],
  )
  return `${formatCountOf(total, 'device')} ${total === 1 ? 'reports' : 'report'} this version: ${said.join(', ')}.`
}
