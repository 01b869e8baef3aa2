/** Findings in numbers. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { ASSESSMENTS } from '../../../formats/assessments.ts'
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import type { Html } from '../../../platform/html.ts'
import { renderSection, renderTable } from '../sheet/sheet.ts'
import { describeAssessment } from '../sheet/words.ts'
import type { CountedFindings } from './store.ts'

export const sumCounts = (
  counts: readonly CountedFindings[],
  isCounted: (one: CountedFindings) => boolean,
): number => counts.filter(isCounted).reduce((sum, { count }) => sum + count, 0)

/** Counts findings by severity, and by what was decided. */
export function renderCounts(counts: readonly CountedFindings[]): Html {
  const states = [
    ...ASSESSMENTS.map((assessment) => ({
      title: describeAssessment(assessment),
      isOf: (one: CountedFindings) => !one.ignored && one.assessment === assessment,
    })),
    { title: 'Ignored', isOf: ({ ignored }: CountedFindings) => ignored },
  ]
  const rows: { severity: string; of: readonly CountedFindings[] }[] = SEVERITIES.map(
    (severity) => ({ severity, of: counts.filter((one) => one.severity === severity) }),
  )
  const all = () => true
  const active = sumCounts(counts, ({ isActive }) => isActive)
  return renderSection(
    'Findings by severity and decision',
    `${formatCountOf(sumCounts(counts, all), 'finding')}, of which ${formatNumber(active)} ${active === 1 ? 'counts' : 'count'}. A finding is one vulnerability of one package.`,
    renderTable(
      [
        { title: 'Severity', width: 12, cell: ({ severity }) => severity },
        ...states.map(({ title, isOf }) => ({
          title,
          isNumber: true,
          cell: ({ of }: (typeof rows)[number]) => formatNumber(sumCounts(of, isOf)),
        })),
        { title: 'All', isNumber: true, cell: ({ of }) => formatNumber(sumCounts(of, all)) },
        {
          title: 'That count',
          isNumber: true,
          cell: ({ of }) => formatNumber(sumCounts(of, ({ isActive }) => isActive)),
        },
      ],
      [...rows, { severity: 'All', of: counts }],
    ),
  )
}
