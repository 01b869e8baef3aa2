/**
 * Rules whose series are steps of a clock, so that each step is told: reports of cases that are due soon or late, what waits for somebody,
 * a security.txt that expires, product lines, release lines and firmware whose support ends or has ended, and certificates that end.
 */
import { formatCountOf } from '../../formats/counts.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { formatDay } from '../../formats/support/states.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type {
  CaseDeadlineCondition,
  CertificateEndingCondition,
  SupportEndingCondition,
} from '../alert-rules/index.ts'
import { listCaseDeadlines } from '../cases/index.ts'
import { type IssuerEnds, listIssuerEnds } from '../device-issuers/index.ts'
import { listReportDeadlines } from '../disclosure-reports/index.ts'
import { listSupportEnds, type SupportEnd } from '../product-lines/index.ts'
import { listSecurityTextDeadlines } from '../security-advisories/index.ts'
import { listCertificateEnds } from '../trusted-keys/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'

export type DeadlineRule = Extract<DueRule, { condition: CaseDeadlineCondition }>

/** A series is a step of a clock, so that each step is told; values are hours that are left, and negative ones that have passed. */
export async function judgeDeadlines(
  tx: Tx,
  workspaceId: string,
  rules: readonly DeadlineRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const { includesDrills, includesGoodPractice } = condition
    const of = { workspaceId, at: windowEnd }
    const others = includesGoodPractice
      ? [...(await listReportDeadlines(tx, of)), ...(await listSecurityTextDeadlines(tx, of))]
      : []
    const deadlines = [...(await listCaseDeadlines(tx, of)), ...others].filter(
      (one) => (includesDrills || !one.isDrill) && (includesGoodPractice || !one.isGoodPractice),
    )
    const hours = deadlines.flatMap(({ hoursLeft }) => (hoursLeft === null ? [] : [hoursLeft]))
    verdicts.push({
      meeting: deadlines.map(({ series, label, hoursLeft }) => ({
        series,
        label,
        value: hoursLeft,
      })),
      kept: [],
      seriesCount: deadlines.length,
      // Where nothing is due the rule has a status of Ok, not NoData.
      valueCount: Math.max(deadlines.length, 1),
      lowest: hours.length === 0 ? null : findMin(hours),
      highest: hours.length === 0 ? null : findMax(hours),
    })
  }
  return verdicts
}

export type ProductSupportRule = Extract<
  DueRule,
  { type: 'SupportEnding'; condition: SupportEndingCondition }
>

/** A series is a step of an end, so that the end itself is told again; values are days that are left, and negative ones that have passed. */
export async function judgeProductSupport(
  tx: Tx,
  workspaceId: string,
  rules: readonly ProductSupportRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const until = formatDay(addMs(windowEnd, condition.daysBefore * DAY_MS))
    const ends = await listSupportEnds(tx, { workspaceId, until })
    const isMeant = ({ endsOn, deviceCount }: SupportEnd) =>
      endsOn <= until && (!condition.onlyWhereDevicesRun || deviceCount > 0)
    verdicts.push(describeVerdict(ends, { isMeant, day: formatDay(windowEnd) }))
  }
  return verdicts
}

/** Where nobody stated an end there is no value: NoData, as nobody knows until when anything is supported. */
function describeVerdict(
  ends: readonly SupportEnd[],
  { isMeant, day }: { isMeant: (end: SupportEnd) => boolean; day: string },
): RuleVerdict {
  const values = ends.map(({ endsOn }) => countDays(day, endsOn))
  return {
    meeting: ends.filter(isMeant).map((one) => ({
      series: formatSeries(one, day),
      label: describeEnd(one, day),
      value: countDays(day, one.endsOn),
    })),
    kept: [],
    seriesCount: ends.length,
    valueCount: ends.length,
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

const countDays = (day: string, endsOn: string) =>
  Math.round((Date.parse(endsOn) - Date.parse(day)) / DAY_MS)

const isOver = ({ endsOn }: SupportEnd, day: string) => endsOn <= day

/** The page that tells of it comes first: `firmware/0198…/release-line/0199…/ending`. A later day that is promised begins anew. */
function formatSeries(end: SupportEnd, day: string): string {
  const { kind, id, firmwareId, endsOn } = end
  const of =
    kind === 'release-line' ? `firmware/${firmwareId ?? ''}/release-line/${id}` : `${kind}/${id}`
  return `${of}/${isOver(end, day) ? 'ended' : 'ending'}/${endsOn}`
}

const KINDS: Readonly<Record<SupportEnd['kind'], string>> = {
  'product-line': 'product line',
  'release-line': 'release line',
  firmware: 'firmware',
}

/** `product line Pump, out of support since 2026-10-01, on 12 devices` */
function describeEnd(end: SupportEnd, day: string): string {
  const { kind, name, lineName, endsOn, deviceCount } = end
  const named = lineName === null ? name : `${lineName} of ${name}`
  const when = isOver(end, day) ? 'since' : 'from'
  const devices = formatCountOf(deviceCount, 'device')
  return `${KINDS[kind]} ${named}, out of support ${when} ${endsOn}, on ${devices}`
}

export type CertificateRule = Extract<DueRule, { condition: CertificateEndingCondition }>

/** What ends, by the page that tells of it: `trusted-key/0198…`. */
interface CertificateEnd {
  of: string
  endsAt: Date
  label: string
  /** What tells one step from the next: nothing, or a day. */
  step?: string
}

/** A series is a step of an end, so that the end itself is told again; values are days that are left, and negative ones that have passed. */
export async function judgeCertificateEnds(
  tx: Tx,
  workspaceId: string,
  rules: readonly CertificateRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd: at, condition } of rules) {
    const until = addMs(at, condition.daysBefore * DAY_MS)
    const trusted = await listCertificateEnds(tx, workspaceId)
    const issuers = await listIssuerEnds(tx, { workspaceId, at, until })
    const ends = [
      ...trusted.map(({ id, name, endsAt }) => ({
        of: `trusted-key/${id}`,
        endsAt,
        label: `trusted certificate ${name} ${sayWhen(endsAt, at)}`,
      })),
      ...issuers.map((issuer) => describeIssuer(issuer, at)),
      ...(condition.includesDevices ? issuers.flatMap((one) => describeDevices(one, at)) : []),
    ]
    verdicts.push(describeCertificates(ends, { at, until }))
  }
  return verdicts
}

function describeIssuer({ id, name, endsAt, deviceCount }: IssuerEnds, at: Date): CertificateEnd {
  const devices = `it issued the certificates of ${formatCountOf(deviceCount, 'device')}`
  return {
    of: `device-issuer/${id}`,
    endsAt,
    label: `issuer ${name} ${sayWhen(endsAt, at)}; ${devices}`,
  }
}

/**
 * Those that are ending, and those that have ended, are two. A series keeps the label with which it began, so that a step is the day of the
 * end: devices that follow are told with their own count.
 */
function describeDevices(issuer: IssuerEnds, at: Date): CertificateEnd[] {
  const { id, name, endingCount, firstEndsAt, endedCount, lastEndedAt } = issuer
  const of = `device-issuer/${id}/devices`
  const ofDevices = (count: number) =>
    `${formatCountOf(count, 'device')} with a certificate of ${name}`
  const ending = firstEndsAt && {
    of,
    endsAt: firstEndsAt,
    step: formatDay(firstEndsAt),
    label: `${ofDevices(endingCount)}, of which the first ${sayWhen(firstEndsAt, at)}`,
  }
  const ended = lastEndedAt && {
    of,
    endsAt: lastEndedAt,
    step: formatDay(lastEndedAt),
    label: `${ofDevices(endedCount)}, of which the last ${sayWhen(lastEndedAt, at)}`,
  }
  return [ending, ended].filter((end) => end !== null)
}

/** Where there is no certificate there is no value: NoData. */
function describeCertificates(
  ends: readonly CertificateEnd[],
  { at, until }: { at: Date; until: Date },
): RuleVerdict {
  const values = ends.map(({ endsAt }) => countWholeDays(at, endsAt))
  return {
    meeting: ends
      .filter(({ endsAt }) => endsAt <= until)
      .map(({ of, endsAt, label, step }) => ({
        series: [of, hasEnded(endsAt, at) ? 'ended' : 'ending', step].filter(Boolean).join('/'),
        label,
        value: countWholeDays(at, endsAt),
      })),
    kept: [],
    seriesCount: ends.length,
    valueCount: ends.length,
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

const countWholeDays = (at: Date, endsAt: Date) =>
  Math.floor((endsAt.getTime() - at.getTime()) / DAY_MS)

/** A certificate no longer holds at its end, as authentication and verification of images see it. */
const hasEnded = (endsAt: Date, at: Date) => endsAt <= at

/** `ends at 2026-12-30 10:00 UTC` */
function sayWhen(endsAt: Date, at: Date): string {
  const instant = `${formatDay(endsAt)} ${endsAt.toISOString().slice(11, 16)} UTC`
  return `${hasEnded(endsAt, at) ? 'ended' : 'ends'} at ${instant}`
}
