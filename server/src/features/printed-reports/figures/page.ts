/** The report of the figures of a period: each with its definition, and what it does not count. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { renderHtml, type Html } from '../../../platform/html.ts'
import { describeValue, type Figure } from '../../figures/index.ts'
import {
  type Imprint,
  renderFacts,
  renderList,
  renderSection,
  renderSheet,
  renderTable,
  renderWarning,
} from '../sheet/sheet.ts'
import { formatDay } from '../sheet/words.ts'

export interface FiguresReport {
  from: Date
  to: Date
  isClosed: boolean
  firmware: { name: string } | null
  line: string | null
  caseDefinition: string
  deletedSince: number
  figures: readonly Figure[]
  imprint: Imprint
  page: string
}

export function renderFiguresReport(report: FiguresReport): string {
  const { from, to, isClosed, firmware, line, caseDefinition, deletedSince, figures } = report
  const period = `${formatDay(from)} to ${formatDay(to)}`
  return renderSheet({
    kind: 'Report of figures',
    title: [firmware?.name, line, period].filter(Boolean).join(', '),
    imprint: report.imprint,
    page: report.page,
    body: [
      renderSection(
        'What is counted',
        caseDefinition,
        isClosed
          ? 'The period is over: records, decisions and reports that come later do not change these figures.'
          : 'The period is not over: these figures still change.',
        deletedSince === 0
          ? null
          : renderWarning(
              `${formatCountOf(deletedSince, 'firmware or version was', 'firmwares or versions were')} deleted since the period began. What was known of them is in no figure.`,
            ),
      ),
      ...figures.map(renderFigure),
    ],
  })
}

export function renderFigure({
  title,
  definition,
  values,
  groups,
  notCounted,
  knownSince,
}: Figure): Html {
  const kinds = [...new Set(groups.map(({ by }) => by))]
  return renderSection(
    title,
    definition,
    knownSince === null ? null : `Known since ${knownSince}.`,
    renderFacts(
      values.map((value) => [
        value.title,
        `${describeValue(value)}${value.unit === 'Count' ? '' : `, of ${formatCountOf(value.cases, 'case')}`}`,
      ]),
    ),
    notCounted.length === 0
      ? null
      : renderList(notCounted.map(({ reason, count }) => `${formatNumber(count)} ${reason}.`)),
    renderHtml`${kinds.map((kind) => renderGroups(kind, { groups, values }))}`,
  )
}

const KIND_WORDS = {
  Severity: 'Severity',
  Outcome: 'SSVC',
  Month: 'Month',
  Firmware: 'Firmware',
  Owner: 'Owner',
  Person: 'Who',
}

function renderGroups(
  kind: keyof typeof KIND_WORDS,
  { groups, values }: Pick<Figure, 'groups' | 'values'>,
): Html {
  const rows = groups.filter(({ by }) => by === kind)
  const shown = values.filter(({ name }) =>
    rows.some((row) => row.values.some((one) => one.name === name)),
  )
  return renderTable(
    [
      { title: KIND_WORDS[kind], width: 28, cell: ({ name }) => name },
      ...shown.map(({ name, title }) => ({
        title,
        cell: (row: (typeof rows)[number]) => {
          const found = row.values.find((one) => one.name === name)
          return found === undefined ? '' : describeValue(found)
        },
      })),
      {
        title: 'Cases',
        width: 10,
        isNumber: true,
        cell: (row) =>
          formatNumber(row.values.reduce((most, { cases }) => Math.max(most, cases), 0)),
      },
    ],
    rows,
  )
}
