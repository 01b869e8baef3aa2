/** The report of the decisions of a period: who decided what, when and why, and what was taken back. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { Html } from '../../../platform/html.ts'
import {
  describeLeftOut,
  type Imprint,
  renderCell,
  renderSection,
  renderSheet,
  renderTable,
} from '../sheet/sheet.ts'
import { describeAct, describeDecider, formatTime, listReasons } from '../sheet/words.ts'
import type { DecidedCount, DecidedRow, Period } from './store.ts'

export interface DecisionsReport {
  period: Period
  imprint: Imprint
  counts: readonly DecidedCount[]
  rows: readonly DecidedRow[]
}

export function renderDecisionsReport({ period, imprint, counts, rows }: DecisionsReport): string {
  const { workspaceId, from, to } = period
  return renderSheet({
    kind: 'Report of decisions',
    title: `${formatTime(from).replace(' UTC', '')} to ${formatTime(to)}`,
    imprint,
    page: `${formatPortalPath('overview', { workspaceId })}/settings/audit-log`,
    body: [renderTotals(counts), renderDecisions(rows), renderLimits()],
  })
}

function renderTotals(counts: readonly DecidedCount[]): Html {
  if (counts.length === 0)
    return renderSection(
      'How many',
      'Nothing was decided in this period, and nothing was taken back.',
    )
  const byWhom = counts.toSorted((a, b) => b.findings - a.findings)
  return renderSection(
    'How many',
    'A finding that was decided twice counts twice.',
    renderTable(
      [
        { title: 'Who', cell: ({ source, email }) => describeDecider(source, email) },
        { title: 'What', width: 30, cell: describeAct },
        {
          title: 'Findings',
          width: 12,
          isNumber: true,
          cell: ({ findings }) => formatNumber(findings),
        },
      ],
      byWhom,
    ),
  )
}

function renderDecisions(rows: readonly DecidedRow[]): Html {
  const title = 'Decisions of people, keys and documents'
  if (rows.length === 0) return renderSection(title, 'There are none in this period.')
  return renderSection(
    title,
    'The newest first. What one command decided is one row.',
    describeLeftOut(rows[0]?.total ?? 0, rows.length, 'decision'),
    renderTable(
      [
        { title: 'When', width: 12, cell: ({ at }) => formatTime(at) },
        { title: 'Who', width: 18, cell: ({ source, email }) => describeDecider(source, email) },
        {
          title: 'What and why',
          width: 34,
          cell: (row) => renderCell(describeAct(row), [...listReasons(row), describeUndone(row)]),
        },
        {
          title: 'For',
          cell: (row) =>
            renderCell(formatCountOf(row.findingCount, 'finding'), [
              joinNamed(row.vulnerabilityIds, row.vulnerabilityCount),
              joinNamed(row.components, row.componentCount, 'in '),
              joinNamed(row.firmwareVersions, row.firmwareVersionCount, 'of '),
            ]),
        },
      ],
      rows,
    ),
  )
}

function joinNamed(names: readonly string[], total: number, lead = ''): string | null {
  if (names.length === 0) return null
  const rest = total - names.length
  const said = names.join(', ')
  return lead + (rest > 0 ? `${said} and ${formatNumber(rest)} more` : said)
}

function describeUndone({ undoneAt, undoneByEmail, leftCount }: DecidedRow): string | null {
  if (undoneAt === null) return null
  const kept =
    leftCount !== null && leftCount > 0
      ? `, but for ${formatCountOf(leftCount, 'finding')} that had been decided since`
      : ''
  return `Taken back ${formatTime(undoneAt)} by ${undoneByEmail ?? 'the service'}${kept}.`
}

const renderLimits = () =>
  renderSection(
    'What is not in it',
    'Decisions about firmware versions that were deleted since: the audit log keeps those acts. What was carried over to new versions, or stated by builds, follows from decisions of others, and is only counted above. Comments and assignees are in the audit log.',
  )
