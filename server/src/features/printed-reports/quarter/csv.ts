/** The report of a quarter as a table: a line for each count and each thing that happened. */
import { type Cell, writeCsvTable } from '../../../formats/csv.ts'
import type { QuarterlyReport } from './page.ts'

interface Line {
  section: string
  of: string | null
  item: string | null
  detail: string | null
  value: Cell
  at: Date | null
}

const EMPTY = { of: null, item: null, detail: null, value: null, at: null }
const line = (section: string, fields: Partial<Line>): Line => ({ ...EMPTY, section, ...fields })

/** Formulas and quotes are the writer's matter. */
export function writeQuarterCsv(report: QuarterlyReport): string {
  const { quarter, from, to, isClosed, imprint } = report
  const table = writeCsvTable<Line>([
    'section',
    'of',
    'item',
    'detail',
    'value',
    ['at', ({ at }) => at],
    ['quarter', () => quarter],
    ['from', () => from],
    ['until', () => to],
    ['isOver', () => isClosed],
    ['computedAt', () => imprint.printedAt],
  ])
  return table.header + listLines(report).map(table.line).join('')
}

function listLines(report: QuarterlyReport): Line[] {
  const { flow, figures, released, uptake } = report
  return [
    ...flow.flatMap(({ severity: of, ...counts }) =>
      Object.entries(counts).map(([item, value]) => line('findings', { of, item, value })),
    ),
    ...listCaseLines(report),
    ...released.map((one) =>
      line('version', {
        of: one.firmware,
        item: one.version,
        detail:
          one.securityOnly === null
            ? 'not known'
            : one.securityOnly
              ? 'security only'
              : 'features, too',
        at: one.createdAt,
      }),
    ),
    ...(uptake === null ? [line('devices', { detail: 'not known' })] : []),
    ...(uptake ?? []).flatMap((one) =>
      (['before', 'after'] as const).map((detail) =>
        line('devices', { of: one.firmware, item: one.version, detail, value: one[detail] }),
      ),
    ),
    ...figures.flatMap(({ firmware: of, figures: own }) =>
      own.flatMap(({ id: item, values, notCounted }) => [
        ...values.map(({ name, value, unit }) =>
          line('figure', { of, item, detail: `${name} (${unit})`, value }),
        ),
        ...notCounted.map(({ reason, count }) =>
          line('figure', { of, item, detail: `not counted: ${reason}`, value: count }),
        ),
      ]),
    ),
  ]
}

function listCaseLines({ cases }: QuarterlyReport): Line[] {
  if (cases === null) return [line('cases', { detail: 'not shown' })]
  const { begun, closed, dismissed, openAtEnd, drills, reports } = cases
  const counts = { begun, closed, dismissed, openAtEnd, drills, ...reports }
  return [
    ...Object.entries(counts).map(([item, value]) => line('cases', { item, value })),
    ...cases.clocks.flatMap(({ stage: item, ...own }) =>
      Object.entries(own).map(([detail, value]) => line('clock', { item, detail, value })),
    ),
    ...cases.submissions.map((one) =>
      line('submission', {
        of: one.title,
        item: one.stage,
        detail: [one.reference, one.isInvalid ? 'not accepted' : null].filter(Boolean).join('; '),
        at: one.submittedAt,
      }),
    ),
    ...cases.published.map((one) =>
      line('advisory', {
        of: one.trackingId,
        item: one.title,
        detail: one.isWithdrawal ? 'withdrawn' : `revision ${one.number}`,
        at: one.publishedAt,
      }),
    ),
    ...cases.supportEnds.map(({ name: of, supportEndsIn }) =>
      line('support', { of, detail: supportEndsIn ?? 'not known' }),
    ),
  ]
}
