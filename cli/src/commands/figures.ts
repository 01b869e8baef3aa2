import { type Command, Option } from 'commander'
import {
  type Figure,
  type FigureCase,
  type FigureGroup,
  type Figures,
  type FigureValue,
  FIGURE_GROUP_KIND,
  FIGURE_NAME,
  type FigureName,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { isForPeople, type ListOptions, printListing, withListOptions } from '../listing.ts'
import { type PeriodOptions, readPeriod, withPeriod } from '../period.ts'
import { formatCount, note } from '../print.ts'
import { openSession } from '../session.ts'
import type { Column } from '../table.ts'

export function addFigureCommands(program: Command): void {
  const figures = program
    .command('figures')
    .description('What an auditor asks of a period: how long triage, fixes and updates took')
  withPeriod(withListOptions(figures.command('show')))
    .description('Show the figures of a period, and what they do not count')
    .addOption(
      new Option(
        '--by <part>',
        'the same by severity, SSVC outcome, month, firmware, owner or person',
      ).choices(FIGURE_GROUP_KIND.map((kind) => kind.toLowerCase())),
    )
    .action(show)
  withPeriod(withListOptions(figures.command('cases')))
    .description('List the cases behind a figure of a period, the newest first')
    .argument('<figure>', `one of ${FIGURE_NAME.join(', ')}`)
    .action(listCases)
}

interface Row {
  figure: string
  part: string
  value: FigureValue
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'FIGURE', value: ({ figure }) => figure },
  { title: 'PART', value: ({ part }) => part },
  { title: 'MEASURE', value: ({ value }) => value.title },
  { title: 'VALUE', value: ({ value }) => describeValue(value), isWhole: true },
  { title: 'CASES', value: ({ value }) => value.cases },
]

function describeValue({ value, unit }: FigureValue): string {
  if (value === null) return 'no case'
  if (unit === 'Percent') return `${value} %`
  return unit === 'Days' ? formatCount(value, 'day') : String(value)
}

type ShowOptions = ListOptions & PeriodOptions & { by?: string }

async function show(options: ShowOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const found = await client.get('/workspaces/{workspaceId}/figures', {
    params: { workspaceId },
    query: await readPeriod(session, options),
  })
  printListing(options, {
    rows: found.figures.flatMap((figure) => listRows(figure, options.by)),
    columns: options.by === undefined ? COLUMNS.filter(({ title }) => title !== 'PART') : COLUMNS,
    nameOf: ({ figure }) => figure,
    noun: 'value',
    answer: () => found,
  })
  if (isForPeople(options)) for (const line of describeLimits(found)) note(line)
}

function listRows({ title: figure, values, groups }: Figure, by: string | undefined): Row[] {
  if (by === undefined) return values.map((value) => ({ figure, part: 'all', value }))
  return groups
    .filter((group: FigureGroup) => group.by.toLowerCase() === by)
    .flatMap((group) => group.values.map((value) => ({ figure, part: group.name, value })))
}

function describeLimits({ isClosed, deletedSince, figures }: Figures): string[] {
  const unknown = figures.flatMap(({ title, notCounted, knownSince }) => [
    ...notCounted.map(({ reason, count }) => `${title}: ${count} ${reason}.`),
    ...(knownSince === null ? [] : [`${title}: known since ${knownSince}.`]),
  ])
  return [
    ...(isClosed ? [] : ['The period is not over: these figures still change.']),
    ...(deletedSince === 0
      ? []
      : [
          `Deleted since the period began, and in no figure: ${formatCount(deletedSince, 'firmware or version', 'firmwares or versions')}.`,
        ]),
    ...unknown,
  ]
}

const CASE_COLUMNS: readonly Column<FigureCase>[] = [
  { title: 'WHEN', value: ({ at }) => at.slice(0, 10) },
  { title: 'VULNERABILITY', value: ({ vulnerabilityId }) => vulnerabilityId, isWhole: true },
  { title: 'SEVERITY', value: ({ severity }) => severity },
  { title: 'FIRMWARE', value: ({ firmware }) => firmware?.name ?? 'all of the fleet' },
  { title: 'WHAT', value: ({ measure }) => measure },
  { title: 'DAYS', value: ({ days }) => (days === null ? null : Math.round(days * 100) / 100) },
  { title: 'OWNER', value: ({ owners }) => owners?.join(', ') ?? null },
  { title: 'WHO', value: ({ person }) => person },
]

async function listCases(figure: string, options: ListOptions & PeriodOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const { cases, totalCount } = await client.get(
    '/workspaces/{workspaceId}/figures/{figure}/cases',
    {
      params: { workspaceId, figure: readFigure(figure) },
      query: await readPeriod(session, options),
    },
  )
  printListing(options, {
    rows: cases,
    columns: CASE_COLUMNS,
    nameOf: ({ vulnerabilityId }) => vulnerabilityId,
    noun: 'case',
    total: { count: totalCount },
    answer: (rows) => ({ cases: rows, totalCount }),
  })
}

function readFigure(text: string): FigureName {
  const found = FIGURE_NAME.find((name) => name.toLowerCase() === text.toLowerCase())
  if (found === undefined)
    throw usageError(
      `${JSON.stringify(text)} is no figure, as these are: ${FIGURE_NAME.join(', ')}; plimsoll figures show has them all.`,
    )
  return found
}
