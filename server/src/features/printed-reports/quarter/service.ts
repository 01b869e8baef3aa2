/** Reads the report of a quarter of the workspace, or of one product line, as a page to print or as a table. */
import { addDays } from '../../../formats/instants.ts'
import { formatPathPart } from '../../../formats/evidence-sums.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid } from '../../../platform/errors.ts'
import { listCasesAt, STAGE_WORDS } from '../../cases/index.ts'
import { type CaseFlow, countCaseFlow, readFigures } from '../../figures/index.ts'
import { getProductLine, listLines } from '../../product-lines/index.ts'
import { type ReportRequest, readAtOnce, readImprint } from '../imprint-service.ts'
import { writeQuarterCsv } from './csv.ts'
import { type ClockCounts, type QuarterlyReport, renderQuarterlyReport } from './page.ts'
import * as store from './store.ts'

type AskQuarter = ReportRequest & { quarter: string; productLineId?: string | undefined }

/** Figures of a line are read for each of its firmwares. */
const MOST_FIRMWARES = 20

export async function printQuarterlyReport(ctx: AppContext, input: AskQuarter): Promise<string> {
  return renderQuarterlyReport(await readQuarterlyReport(ctx, input))
}

export async function exportQuarterlyReport(ctx: AppContext, input: AskQuarter) {
  const report = await readQuarterlyReport(ctx, input)
  const name = report.line === null ? 'workspace' : formatPathPart(report.line.name)
  return { content: writeQuarterCsv(report), fileName: `${name}-${report.quarter}.csv` }
}

async function readQuarterlyReport(ctx: AppContext, input: AskQuarter): Promise<QuarterlyReport> {
  const { workspaceId, quarter } = input
  const days = readDays(quarter, ctx.now())
  const line =
    input.productLineId === undefined
      ? null
      : await getProductLine(ctx.db, { workspaceId, productLineId: input.productLineId })
  const firmwareIds = line?.firmwareIds ?? []
  if (firmwareIds.length > MOST_FIRMWARES)
    throw invalid(
      `The product line has more than ${MOST_FIRMWARES} firmwares: ask for the whole workspace.`,
      '/query/productLineId',
    )
  const figures = await readAllFigures(ctx, { workspaceId, line, ...days })
  const scope = {
    workspaceId,
    from: days.from,
    to: days.to,
    line: line && { id: line.id, firmwareIds },
  }
  return readAtOnce(ctx, async (at) => {
    const flows: CaseFlow[][] = []
    for (const firmwareId of line ? firmwareIds : [undefined])
      flows.push(await countCaseFlow(at, { ...scope, ...days, firmwareId }))
    const imprint = await readImprint(at, input)
    return {
      workspaceId,
      quarter,
      from: days.from,
      to: days.to,
      isClosed: days.isClosed,
      imprint: days.isClosed ? { ...imprint, asOf: days.to } : imprint,
      line: line && { id: line.id, name: line.name, manufacturer: line.manufacturer },
      flow: sumFlows(flows),
      ...figures,
      cases: input.principal.scopes.has('Cases: read') ? await readCases(at, scope) : null,
      released: await store.listReleased(at.db, scope),
      uptake: await store.listUptake(at.db, scope, {
        before: formatDay(addDays(days.from, -1)),
        after: formatDay(days.lastDay),
      }),
    }
  })
}

const formatDay = (at: Date) => at.toISOString().slice(0, 10)

function readDays(quarter: string, now: Date) {
  const found = readQuarter(quarter)
  if (!found)
    throw invalid(`${JSON.stringify(quarter)} is no quarter, such as 2026-Q3.`, '/query/quarter')
  const { from, end } = found
  if (from > now) throw invalid('The quarter is in the future.', '/query/quarter')
  const isClosed = end <= now
  return {
    from,
    to: isClosed ? end : now,
    lastDay: isClosed ? addDays(end, -1) : new Date(`${formatDay(now)}T00:00:00Z`),
    isClosed,
  }
}

interface AskedFigures {
  workspaceId: string
  line: { firmwares: { id: string; name: string }[] } | null
  from: Date
  lastDay: Date
}

async function readAllFigures(
  ctx: AppContext,
  { workspaceId, line, from, lastDay }: AskedFigures,
): Promise<Pick<QuarterlyReport, 'figures' | 'deletedSince'>> {
  const days = { from: formatDay(from), to: formatDay(lastDay) }
  const figures: {
    firmware: string | null
    figures: QuarterlyReport['figures'][number]['figures']
  }[] = []
  let deletedSince = 0
  for (const firmware of line ? line.firmwares : [null]) {
    const read = await readFigures(ctx, {
      workspaceId,
      ...days,
      ...(firmware && { firmwareId: firmware.id }),
    })
    figures.push({ firmware: firmware?.name ?? null, figures: read.figures })
    deletedSince = Math.max(deletedSince, read.deletedSince)
  }
  return { figures, deletedSince }
}

function sumFlows(flows: readonly CaseFlow[][]): CaseFlow[] {
  const bySeverity = Map.groupBy(flows.flat(), ({ severity }) => severity)
  return [...bySeverity].map(([severity, own]) => {
    const sum = (name: Exclude<keyof CaseFlow, 'severity'>) =>
      own.reduce((total, one) => total + one[name], 0)
    return {
      severity,
      openBefore: sum('openBefore'),
      detected: sum('detected'),
      closed: sum('closed'),
      openAfter: sum('openAfter'),
    }
  })
}

async function readCases(
  { db }: AppContext,
  quarter: store.Quarter,
): Promise<NonNullable<QuarterlyReport['cases']>> {
  const { workspaceId, from, to, line } = quarter
  const isIn = (at: Date | null) => at !== null && at >= from && at < to
  const all = (await listCasesAt(db, { workspaceId, at: to })).filter(
    ({ productLines }) => line === null || productLines.some(({ id }) => id === line.id),
  )
  const before = new Map(
    (await listCasesAt(db, { workspaceId, at: from })).map(({ id, state }) => [id, state]),
  )
  const own = all.filter(({ isDrill }) => !isDrill)
  const endedAs = (state: 'Closed' | 'Dismissed') =>
    own.filter((one) => one.state === state && before.get(one.id) !== state).length
  const lines = await listLines(db, workspaceId)
  return {
    begun: own.filter(({ createdAt }) => isIn(createdAt)).length,
    closed: endedAs('Closed'),
    dismissed: endedAs('Dismissed'),
    openAtEnd: own.filter(({ state }) => state === 'Open').length,
    drills: all.filter(({ isDrill, createdAt }) => isDrill && isIn(createdAt)).length,
    clocks: countClocks(own, isIn),
    submissions: own.flatMap(({ title, submissions }) =>
      submissions
        .filter(({ submittedAt }) => isIn(submittedAt))
        .map((one) => ({ ...one, title, stage: STAGE_WORDS[one.stage] })),
    ),
    published: await store.listPublished(db, quarter),
    reports: await store.countReports(db, quarter),
    supportEnds: lines
      .filter(({ id }) => line === null || id === line.id)
      .map(({ name, supportEndsIn }) => ({ name, supportEndsIn })),
  }
}

type PastCase = Awaited<ReturnType<typeof listCasesAt>>[number]

/** Clocks that were due or done in the quarter, and those of open cases that wait. */
function countClocks(
  cases: readonly PastCase[],
  isIn: (at: Date | null) => boolean,
): ClockCounts[] {
  const clocks = cases.flatMap((one) =>
    one.clocks.map((clock) => ({ ...clock, isOpen: one.state === 'Open' })),
  )
  return [...Map.groupBy(clocks, ({ stage }) => stage)].map(([stage, own]) => {
    const concerned = own.filter(({ dueAt, doneAt }) => isIn(dueAt) || isIn(doneAt))
    const isLate = ({ dueAt, doneAt, state }: (typeof own)[number]) =>
      dueAt !== null && (doneAt === null ? state === 'Late' : doneAt > dueAt)
    return {
      stage: STAGE_WORDS[stage],
      kept: concerned.filter((one) => one.doneAt !== null && !isLate(one)).length,
      late: concerned.filter(isLate).length,
      open: own.filter((one) => one.isOpen && one.doneAt === null && !isLate(one)).length,
    }
  })
}

/** @returns undefined: it names none */
function readQuarter(text: string): { from: Date; end: Date } | undefined {
  const [, year, quarter] = /^(\d{4})-Q([1-4])$/.exec(text) ?? []
  if (year === undefined || quarter === undefined) return undefined
  const month = (Number(quarter) - 1) * 3
  return {
    from: new Date(Date.UTC(Number(year), month, 1)),
    end: new Date(Date.UTC(Number(year), month + 3, 1)),
  }
}
