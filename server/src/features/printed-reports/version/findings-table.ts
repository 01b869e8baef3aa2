/** Findings of a version in a table: what, how bad, in what, since when, and who decided what, when and why. */
import { renderHtml, type Html } from '../../../platform/html.ts'
import {
  describeLeftOut,
  renderCell,
  renderSection,
  renderTable,
  type SheetColumn,
} from '../sheet/sheet.ts'
import {
  describeAssessment,
  describeDecider,
  formatCvss,
  formatDay,
  formatEpss,
  formatTime,
  listReasons,
  nameSource,
} from '../sheet/words.ts'
import type { ReportedFinding } from './store.ts'

interface FindingsPart {
  rows: readonly ReportedFinding[]
  total: number
  none: string
  meaning?: string
}

export function renderFindings(title: string, { rows, total, none, meaning }: FindingsPart): Html {
  if (rows.length === 0) return renderSection(title, none)
  const left = describeLeftOut(total, rows.length, 'finding')
  return renderSection(
    title,
    meaning ?? null,
    left === null ? null : `${left} The export of the version as CSV has all.`,
    renderTable(COLUMNS, rows),
  )
}

const COLUMNS: readonly SheetColumn<ReportedFinding>[] = [
  { title: 'Vulnerability', width: 30, cell: nameFinding },
  {
    title: 'Severity',
    width: 12,
    cell: (row) => renderCell(row.severity, [formatCvss(row.cvssScore), formatEpss(row.epssScore)]),
  },
  {
    title: 'Component',
    width: 16,
    cell: (row) =>
      renderHtml`${row.componentName} ${row.componentVersion}${row.firmwareVersion === null ? null : renderHtml`<div class="small">of ${row.firmwareVersion}</div>`}${row.confidence === 'Low' ? renderHtml`<div class="small">matched with low confidence</div>` : null}`,
  },
  { title: 'Found', width: 10, cell: (row) => formatDay(row.detectedAt) },
  { title: 'Decision', cell: renderDecision },
]

function nameFinding({ vulnerabilityId, name, exploitedSources }: ReportedFinding): Html {
  const lists = exploitedSources.map(
    ({ source, dateAdded }) => `Known exploited: ${nameSource(source)}, ${dateAdded}`,
  )
  return renderCell(vulnerabilityId, [name === vulnerabilityId ? null : name, ...lists])
}

function renderDecision(row: ReportedFinding): Html {
  const isDecided = row.ignored || row.assessment !== 'NotAssessed'
  const by =
    isDecided && row.source !== null && row.decidedAt !== null
      ? `by ${describeDecider(row.source, row.decidedByEmail)}, ${formatTime(row.decidedAt)}`
      : null
  const recheck = row.recheckReason === null ? null : `To be checked again: ${row.recheckReason}`
  const state = describeAssessment(row.assessment, row.ignored)
  return renderCell(state, [by, ...(isDecided ? listReasons(row) : []), recheck])
}
