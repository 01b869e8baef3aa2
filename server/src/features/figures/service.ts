/** Figures of a period: what an auditor asks for. */
import { formatPortalPath } from '../../formats/portal-pages.ts'
import { addDays } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { invalid } from '../../platform/errors.ts'
import { getFirmware, listLines } from '../firmware/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import { addOwnersThen, isAnythingOwned, uniteOwners } from './case-owners.ts'
import { readCaseDays } from './case-days-service.ts'
import { type AskedDays, formatDay, type Period, readPeriod } from './asked.ts'
import { listCases, listVersions } from './cases-store.ts'
import { DERIVE } from './derive.ts'
import type { Facts } from './facts.ts'
import { RANKS } from './facts-store.ts'
import {
  FIGURES,
  type FigureCase,
  type FigureId,
  type Group,
  groupCases,
  measureCases,
  type Value,
} from './figure.ts'
import { countUnknownDisclosures, listFleetDays } from './fleet-store.ts'
import * as kept from './kept-store.ts'
import { createOpen } from './open-critical.ts'
import { CASE_DEFINITION, DEFINITIONS } from './words.ts'

type ReadContext = Pick<AppContext, 'db' | 'now'>

export interface AskFigures extends AskedDays {
  workspaceId: string
  firmwareId?: string
  /** The name of a release line of the firmware. */
  line?: string
}

/** Stores on which days vulnerabilities became public. It may run any number of times, on several nodes. */
export async function maintainDisclosures({ db, now }: ReadContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(db))
    await kept.recordDisclosures(db, { workspaceId, at: now() })
}

export interface Figure {
  id: FigureId
  title: string
  definition: string
  values: Value[]
  groups: Group[]
  notCounted: { reason: string; count: number }[]
  knownSince: string | null
  list: string | null
  listNote: string | null
}

export async function readFigures(ctx: ReadContext, asked: AskFigures) {
  const read = await readFacts(ctx, asked)
  const { period, firmware, line, ground } = read
  return {
    from: formatDay(period.from),
    to: formatDay(period.lastDay),
    isClosed: period.isClosed,
    firmware,
    line,
    caseDefinition: CASE_DEFINITION,
    deletedSince: ground.deleted,
    figures: FIGURES.map((id) => createFigure(id, read)),
  }
}

/** At most this many, the newest first. */
const MOST_LISTED = 1000

export async function listFigureCases(ctx: ReadContext, asked: AskFigures & { figure: FigureId }) {
  const { figure, ...rest } = asked
  if (figure === 'openCritical')
    throw invalid('These findings are counted each day, not listed.', '/params/figure')
  const { facts, ground } = await readFacts(ctx, rest)
  const names = nameFirmwares(ground)
  const listed = selectListed(figure, DERIVE[figure](facts).cases).toSorted(compareCases)
  const newest = addOwnersThen(facts, listed.slice(0, MOST_LISTED))
  return {
    cases: newest.map(({ firmwareId, measure, vulnerabilityId, severity, owners, ...one }) => ({
      measure,
      vulnerabilityId,
      severity,
      since: one.since,
      at: one.at,
      days: one.days,
      person: one.person,
      owners: owners && owners.map(({ name }) => name),
      firmware: firmwareId === null ? null : { id: firmwareId, name: names.get(firmwareId) ?? '' },
    })),
    totalCount: listed.length,
  }
}

/** Those that the values count, and for a share also those that it is a share of. */
function selectListed(figure: FigureId, cases: readonly FigureCase[]) {
  return figure === 'falsePositives'
    ? cases.filter(({ measure }) => measure === 'FalsePositive')
    : cases
}

function compareCases(a: FigureCase, b: FigureCase): number {
  if (a.at.getTime() !== b.at.getTime()) return b.at.getTime() - a.at.getTime()
  const [one, other] = [a, b].map(({ vulnerabilityId, firmwareId, measure }) =>
    [vulnerabilityId, firmwareId ?? '', measure].join('\n'),
  )
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** Beyond that, an answer would take more memory and time than one request may. */
const MOST_CASES = 200_000

/** One snapshot, so that the numbers agree. */
async function readFacts(
  ctx: ReadContext,
  { workspaceId, firmwareId, line: name, ...days }: AskFigures,
) {
  const at = readPeriod(days, ctx.now())
  return ctx.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const firmware =
        firmwareId === undefined ? null : await getFirmware(db, workspaceId, firmwareId)
      const line = name === undefined ? null : await findLine(db, { workspaceId, firmware, name })
      const period: Period = { workspaceId, firmwareId: firmware?.id, lineId: line?.id, ...at }
      const cases = await listCases(db, period, MOST_CASES + 1)
      if (cases.length > MOST_CASES)
        throw invalid(
          `There are more than ${MOST_CASES.toLocaleString('en')} cases: ask for one firmware.`,
          '/query/firmwareId',
        )
      const fleetUnknown = await countUnknownDisclosures(db, period)
      const ground = await kept.readGround(db, period)
      const { targets, publishedSince, caseDaysSince } = ground
      const facts: Facts = {
        period,
        cases: cases.map((one) => ({ ...one, severity: nameRank(one.severity) })),
        versions: await listVersions(db, period),
        fleet: (await listFleetDays(db, period)).map((one) => ({
          ...one,
          severity: nameRank(one.severity),
        })),
        fleetUnknown,
        acceptances: await kept.listAcceptances(db, period),
        targets,
        publishedSince,
        caseDays: uniteOwners(await readCaseDays(db, period, { caseCount: cases.length })),
        caseDaysSince,
      }
      return {
        period,
        firmware: firmware && { id: firmware.id, name: firmware.name },
        line: line?.name ?? null,
        ground,
        facts,
        isOwned: isAnythingOwned(facts),
        firstDeviceDay: fleetUnknown.firstDay,
        open: await readOpen(db, period),
      }
    })
}

async function findLine(
  db: ReadContext['db'],
  asked: { workspaceId: string; firmware: { id: string } | null; name: string },
) {
  const { workspaceId, firmware, name } = asked
  if (firmware === null) throw invalid('A release line is one of a firmware.', '/query/line')
  const lines = await listLines(db, { workspaceId, firmwareId: firmware.id })
  const found = lines.find((line) => line.name === name)
  if (!found)
    throw invalid(
      lines.length === 0 ? 'The firmware has no release lines.' : 'The firmware has no such line.',
      '/query/line',
    )
  return found
}

type Read = Awaited<ReturnType<typeof readFacts>>

const nameRank = (rank: number) => RANKS[rank - 1] ?? 'Unknown'

const nameFirmwares = ({ firmwares }: kept.Ground) =>
  new Map(firmwares.map(({ id, name }) => [id, name]))

/** The day before the period, the last days of its months, and its own last day. */
async function readOpen(db: ReadContext['db'], period: Period) {
  const before = addDays(period.from, -1)
  const ends = listMonthEnds(period)
  const stored = await kept.listOpenDays(db, period, [before, ...ends])
  const now = period.isClosed ? [] : await kept.listOpenNow(db, period)
  const of = (day: string) => stored.filter((one) => one.day === day)
  return {
    before: of(formatDay(before)),
    end: period.isClosed ? of(formatDay(period.lastDay)) : now,
    months: ends.map((day) => ({ month: formatDay(day).slice(0, 7), rows: of(formatDay(day)) })),
  }
}

/** That are over; the last one may be the end of the period. */
function listMonthEnds({ from, lastDay, isClosed }: Period): Date[] {
  const ends: Date[] = []
  for (let month = from.getUTCMonth() + 1; ; month++) {
    const end = new Date(Date.UTC(from.getUTCFullYear(), month, 0))
    if (end >= lastDay) return isClosed ? [...ends, lastDay] : ends
    ends.push(end)
  }
}

function createFigure(id: FigureId, read: Read): Figure {
  const { title, definition, ...rest } = DEFINITIONS[id]
  const about = { id, title, definition, ...linkList(id, read) }
  if (id === 'openCritical') return { ...about, ...createOpen(read, nameFirmwares(read.ground)) }
  const { cases, notCounted } = DERIVE[id](read.facts)
  const by = rest.by.filter((kind) => kind !== 'Owner' || read.isOwned)
  const naming = { firmwareNames: nameFirmwares(read.ground), noPerson: rest.noPerson }
  return {
    ...about,
    values: measureCases(rest.measures, cases),
    groups: groupCases({ ...rest, by }, addOwnersThen(read.facts, cases), naming),
    notCounted,
    knownSince: findKnownSince(id, read),
  }
}

function findKnownSince(id: FigureId, { firstDeviceDay, ground, period }: Read): string | null {
  if (id === 'timeToFleet') return firstDeviceDay
  if (id !== 'timeToVex') return null
  return ground.publishedSince < period.from ? null : formatDay(ground.publishedSince)
}

function linkList(id: FigureId, { period, line }: Read) {
  const { workspaceId, firmwareId, from, lastDay } = period
  const base = formatPortalPath('overview', { workspaceId })
  if (id === 'acceptances')
    return {
      list: formatPortalPath('acceptances', { workspaceId }),
      listNote: 'It lists those of all times.',
    }
  if (id === 'openCritical')
    return {
      list: `${base}/findings?show=active&severity=Critical`,
      listNote: 'It lists what is open now.',
    }
  const query = new URLSearchParams({
    from: formatDay(from),
    to: formatDay(lastDay),
    ...(firmwareId !== undefined && { firmware: firmwareId }),
    ...(line !== null && { line }),
    figure: id,
  })
  return { list: `${base}/figures?${query.toString()}`, listNote: null }
}
