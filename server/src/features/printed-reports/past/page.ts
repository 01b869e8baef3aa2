/** The report of a firmware version or of a vulnerability at a past instant. */
import { formatCountOf } from '../../../formats/counts.ts'
import type { Html } from '../../../platform/html.ts'
import {
  type Imprint,
  renderList,
  renderSection,
  renderSheet,
  renderWarning,
} from '../sheet/sheet.ts'
import type { LookedAt } from '../../vulnerabilities/index.ts'
import { formatTime } from '../sheet/words.ts'
import { renderCounts, sumCounts } from '../version/counts-table.ts'
import { renderFindings } from '../version/findings-table.ts'
import type { CountedFindings, ReportedFinding } from '../version/store.ts'

export interface PastSubject {
  kind: string
  title: string
  /** The path of the portal's page about the same. */
  page: string
  /** Of a firmware version. */
  createdAt: Date | null
}

interface PastReport {
  subject: PastSubject
  imprint: Imprint & { asOf: Date }
  lookedAt: LookedAt
  counts: readonly CountedFindings[]
  activeFindings: readonly ReportedFinding[]
  otherFindings: readonly ReportedFinding[]
}

export function renderPastReport(report: PastReport): string {
  const { subject, imprint, counts, activeFindings, otherFindings } = report
  const count = (isActive: boolean) => sumCounts(counts, (one) => one.isActive === isActive)
  return renderSheet({
    ...subject,
    kind: `${subject.kind} at a past time`,
    imprint,
    body: [
      renderLookedAt(report),
      renderCounts(counts),
      renderFindings('Findings that counted', {
        rows: activeFindings,
        total: count(true),
        none: 'No finding counted. That proves nothing of what could not be judged then.',
      }),
      renderFindings('Findings that did not count', {
        rows: otherFindings,
        total: count(false),
        none: 'There were none.',
      }),
      renderSection(
        'Not known for the past',
        renderList(subject.createdAt === null ? NOT_KNOWN : [...NOT_KNOWN, CHAIN_NOT_KNOWN]),
      ),
    ],
  })
}

/** These are kept as they are now only. */
const NOT_KNOWN = [
  'The mark, and what the release gate would have said.',
  'Which devices ran the firmware.',
  'EPSS scores, and fixes that were known then.',
  'Components of which nothing could be told then, and how old the sources were.',
]

/** Of a firmware version. */
const CHAIN_NOT_KNOWN =
  'What linked SBOMs, images and devices: which keys were trusted, and which images ran.'

function renderLookedAt({ subject: { createdAt }, imprint: { asOf }, lookedAt }: PastReport): Html {
  const { packageCount, firmwareVersionCount } = lookedAt
  const title = 'What had been looked up'
  if (createdAt !== null && createdAt > asOf)
    return renderSection(
      title,
      renderWarning(`The version did not exist yet: it was created on ${formatTime(createdAt)}.`),
    )
  if (packageCount === 0)
    return renderSection(
      title,
      renderWarning('No component was known then: nothing was looked up.'),
    )
  if (createdAt !== null)
    return renderSection(title, `${formatCountOf(packageCount, 'package')} of the version.`)
  return renderSection(
    title,
    `${formatCountOf(packageCount, 'package')}, counted in each of ${formatCountOf(firmwareVersionCount, 'firmware version')}.`,
  )
}
