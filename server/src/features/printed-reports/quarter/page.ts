/** The report of a quarter on paper. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { Html } from '../../../platform/html.ts'
import type { CaseFlow, Figure } from '../../figures/index.ts'
import { renderFigure } from '../figures/page.ts'
import {
  type Imprint,
  renderCell,
  renderFacts,
  renderList,
  renderSection,
  renderSheet,
  renderTable,
  renderWarning,
} from '../sheet/sheet.ts'
import { formatDay, formatTime } from '../sheet/words.ts'
import type * as store from './store.ts'

export interface ClockCounts {
  stage: string
  kept: number
  late: number
  /** Due after the end of the quarter, or without a due time. */
  open: number
}

interface Submission {
  title: string
  stage: string
  submittedAt: Date
  reference: string | null
  isInvalid: boolean
}

export interface QuarterlyReport {
  workspaceId: string
  /** "2026-Q3". */
  quarter: string
  from: Date
  to: Date
  /** It is over, so that its facts stay. */
  isClosed: boolean
  imprint: Imprint
  line: { id: string; name: string; manufacturer: string } | null
  flow: readonly CaseFlow[]
  /** Firmwares and versions that were deleted since it began. */
  deletedSince: number
  figures: readonly { firmware: string | null; figures: readonly Figure[] }[]
  /** null: whoever asked may not read cases. */
  cases: {
    begun: number
    closed: number
    dismissed: number
    openAtEnd: number
    drills: number
    clocks: readonly ClockCounts[]
    submissions: readonly Submission[]
    published: readonly store.PublishedRevision[]
    reports: store.ReportCounts
    supportEnds: readonly { name: string; supportEndsIn: string | null }[]
  } | null
  released: readonly store.ReleasedVersion[]
  /** null: devices of those days are not kept. */
  uptake: readonly store.VersionUptake[] | null
}

export function renderQuarterlyReport(report: QuarterlyReport): string {
  const { workspaceId, quarter, imprint, line, figures } = report
  return renderSheet({
    kind: 'Quarterly report',
    title: [line?.name ?? imprint.workspaceName, quarter].join(', '),
    imprint,
    page: `${formatPortalPath('overview', { workspaceId })}/figures`,
    body: [
      renderScope(report),
      renderFlow(report),
      renderCases(report),
      renderSubmissions(report),
      renderAdvisories(report),
      renderSupportEnds(report),
      renderReleased(report),
      renderUptake(report),
      ...figures.flatMap(({ firmware, figures: own }) => [
        firmware === null ? null : renderSection(`Figures of ${firmware}`, null),
        ...own.map((figure) => renderFigure(figure)),
      ]),
      renderLimits(report),
    ],
  })
}

function renderScope({ from, to, isClosed, line, deletedSince, imprint }: QuarterlyReport): Html {
  return renderSection(
    'What is counted',
    renderFacts([
      ['Of', line === null ? 'the whole workspace' : `${line.name}, ${line.manufacturer}`],
      ['From', formatTime(from)],
      ['Until', formatTime(to)],
      ['Computed', formatTime(imprint.printedAt)],
    ]),
    isClosed
      ? 'The quarter is over. Facts have times: what is recorded later changes nothing here, but for what is named at the end.'
      : renderWarning('The quarter is not over: these numbers still change.'),
    deletedSince === 0
      ? null
      : renderWarning(
          `${formatCountOf(deletedSince, 'firmware or version was', 'firmwares or versions were')} deleted since it began. What was known of them is nowhere here.`,
        ),
  )
}

function renderFlow({ flow }: QuarterlyReport): Html {
  return renderSection(
    'New and closed findings',
    'A vulnerability in a firmware counts once, in however many versions. Closed: open before or detected in the quarter, and at its end decided, fixed or ended.',
    flow.length === 0
      ? 'The product line has no firmware.'
      : renderTable(
          [
            { title: 'Severity', width: 20, cell: ({ severity }) => severity },
            { title: 'Open before', isNumber: true, cell: (one) => formatNumber(one.openBefore) },
            { title: 'New', isNumber: true, cell: (one) => formatNumber(one.detected) },
            { title: 'Closed', isNumber: true, cell: (one) => formatNumber(one.closed) },
            {
              title: 'Open at the end',
              isNumber: true,
              cell: (one) => formatNumber(one.openAfter),
            },
          ],
          flow,
        ),
  )
}

const NOT_READ = 'Not shown: this report was made for somebody who may not read cases.'

function renderCases({ cases }: QuarterlyReport): Html {
  const title = 'Cases of Article 14 and their clocks'
  if (cases === null) return renderSection(title, NOT_READ)
  const { begun, closed, dismissed, openAtEnd, drills, clocks } = cases
  return renderSection(
    title,
    renderFacts([
      ['Begun', formatNumber(begun)],
      ['Closed', formatNumber(closed)],
      ['Dismissed', formatNumber(dismissed)],
      ['With running clocks at the end', formatNumber(openAtEnd)],
      ['Drills, counted nowhere else', formatNumber(drills)],
    ]),
    clocks.length === 0
      ? 'No clock ran.'
      : renderTable(
          [
            { title: 'Clock', width: 40, cell: ({ stage }) => stage },
            { title: 'Kept', isNumber: true, cell: (one) => formatNumber(one.kept) },
            { title: 'Late', isNumber: true, cell: (one) => formatNumber(one.late) },
            { title: 'Open at the end', isNumber: true, cell: (one) => formatNumber(one.open) },
          ],
          clocks,
        ),
  )
}

function renderSubmissions({ cases }: QuarterlyReport): Html | null {
  if (cases === null) return null
  const title = 'Reports that were submitted'
  if (cases.submissions.length === 0) return renderSection(title, 'None was recorded.')
  return renderSection(
    title,
    renderTable(
      [
        { title: 'When', width: 18, cell: ({ submittedAt }) => formatTime(submittedAt) },
        { title: 'Report', width: 20, cell: ({ stage }) => stage },
        { title: 'Case', cell: (one) => one.title },
        {
          title: 'Reference',
          width: 20,
          cell: ({ reference, isInvalid }) =>
            renderCell(reference ?? 'none', [isInvalid ? 'not accepted by the CSIRT' : null]),
        },
      ],
      cases.submissions,
    ),
  )
}

function renderAdvisories({ cases }: QuarterlyReport): Html | null {
  if (cases === null) return null
  const { published, reports } = cases
  return renderSection(
    'Advisories and reports of others',
    `${formatCountOf(reports.received, 'report')} from outside received, ${formatCountOf(reports.upstream, 'report')} to makers of components recorded.`,
    published.length === 0
      ? 'No advisory was published.'
      : renderTable(
          [
            { title: 'When', width: 18, cell: ({ publishedAt }) => formatTime(publishedAt) },
            {
              title: 'Advisory',
              width: 24,
              cell: (one) => `${one.trackingId}, revision ${one.number}`,
            },
            {
              title: 'Title',
              cell: (one) => renderCell(one.title, [one.isWithdrawal ? 'withdrawn' : null]),
            },
          ],
          published,
        ),
  )
}

function renderSupportEnds({ cases }: QuarterlyReport): Html | null {
  if (cases === null) return null
  const { supportEnds } = cases
  return renderSection(
    'Support periods, as they are stated now',
    supportEnds.length === 0
      ? 'There is no product line: support periods are not known.'
      : renderTable(
          [
            { title: 'Product line', cell: ({ name }) => name },
            {
              title: 'Support ends in',
              width: 30,
              cell: ({ supportEndsIn }) => supportEndsIn ?? 'not known: nobody has said',
            },
          ],
          supportEnds,
        ),
  )
}

const SECURITY_ONLY = { true: 'security only', false: 'features, too', null: 'not known' } as const

function renderReleased({ released }: QuarterlyReport): Html {
  const title = 'Versions that were made'
  if (released.length === 0) return renderSection(title, 'None.')
  return renderSection(
    title,
    renderTable(
      [
        { title: 'Version', cell: (one) => `${one.firmware} ${one.version}` },
        { title: 'Made', width: 18, cell: ({ createdAt }) => formatTime(createdAt) },
        { title: 'Kind', width: 18, cell: (one) => SECURITY_ONLY[`${one.securityOnly}`] },
        {
          title: 'First rolled out',
          width: 20,
          cell: ({ firstDeployedAt }) =>
            firstDeployedAt === null ? 'not in the quarter' : formatTime(firstDeployedAt),
        },
      ],
      released,
    ),
  )
}

function renderUptake({ uptake, from, to }: QuarterlyReport): Html {
  const title = 'Devices by version'
  if (uptake === null)
    return renderSection(
      title,
      renderWarning('Not known: devices of these days were not counted, or are not kept any more.'),
    )
  if (uptake.length === 0) return renderSection(title, 'No device reported one of the versions.')
  return renderSection(
    title,
    `At the end of the day before ${formatDay(from)}, and of the last day before ${formatTime(to)}.`,
    renderTable(
      [
        { title: 'Version', cell: (one) => `${one.firmware} ${one.version}` },
        { title: 'Before', width: 18, isNumber: true, cell: (one) => formatNumber(one.before) },
        { title: 'At the end', width: 18, isNumber: true, cell: (one) => formatNumber(one.after) },
      ],
      uptake,
    ),
  )
}

const renderLimits = ({ isClosed }: QuarterlyReport) =>
  renderSection(
    isClosed ? 'What may change later all the same' : 'What is not known for the past',
    renderList([
      'What is deleted is counted no more: firmware, versions, product lines.',
      'Names, the firmware of a product line, the lines of a case and ends of support are those of now.',
      'Severities are those that were known last.',
      'Whether a version mends security alone is what people say of it now.',
      'Devices by day are kept for 800 days.',
    ]),
  )
