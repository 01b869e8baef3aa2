/** What changed most in the days of an exposure chart, and what happened meanwhile. */
import type { Exposure } from '@plimsoll/api-client'
import { LAYERS, type Row } from './exposure-rows.ts'

type Rollout = Exposure['rollouts'][number]
type Release = Exposure['releases'][number]
type LayerId = (typeof LAYERS)[number]['id']

export interface ExposureNote {
  layer: LayerId
  layerName: string
  /** Negative: so many devices fewer. */
  change: number
  /** The last day of before, and the first of after. */
  before: Row
  after: Row
  /** The roll-out that took this time; undefined: none ran then. */
  rollout: Rollout | undefined
  /** Created in this time; where a roll-out ran, it is named instead. */
  releases: readonly Release[]
}

const MOST_NOTES = 3
/** The smallest share of all devices that gets a note. */
const LEAST_SHARE = 0.02
const DAY = 86_400_000
/** People look for these. */
const NOTED = LAYERS.filter(({ id }) => id === 'critical' || id === 'high')

interface Span {
  before: Row
  after: Row
  rollout: Rollout | undefined
}

/** The greatest changes whose times do not overlap, in the order of time. A change of a day is noted where no roll-out ran. */
export function findNotes(
  rows: readonly Row[],
  { rollouts, releases }: Pick<Exposure, 'rollouts' | 'releases'>,
): ExposureNote[] {
  const ran = rollouts.flatMap((rollout) => findSpan(rows, rollout) ?? [])
  const spans: Span[] = [...ran, ...listDays(rows)]
  const notes = spans
    .flatMap((span) => NOTED.map((layer) => noteOf(span, layer)))
    .filter(({ change, after }) => Math.abs(change) >= Math.max(1, after.total * LEAST_SHARE))
    .toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change))
  const chosen: Omit<ExposureNote, 'releases'>[] = []
  for (const note of notes)
    if (chosen.length < MOST_NOTES && !chosen.some((other) => overlap(note, other)))
      chosen.push(note)
  return chosen
    .toSorted((one, other) => one.after.at.getTime() - other.after.at.getTime())
    .map((note) => ({ ...note, releases: releases.filter(({ at }) => isWithin(at, note)) }))
}

/** From before it began to after its last device had it; undefined: it goes on, or these days were not counted. */
function findSpan(rows: readonly Row[], rollout: Rollout): Span | undefined {
  if (rollout.finishedAt === null) return undefined
  const [began, ended] = [new Date(rollout.startedAt), new Date(rollout.finishedAt)]
  const before = rows.findLast(({ at }) => at <= began)
  const after = rows.find(({ at }) => at >= ended)
  return before && after && { before, after, rollout }
}

/** Each counted day with the one before it. */
function listDays(rows: readonly Row[]): Span[] {
  return rows.slice(1).flatMap((after, index) => {
    const before = rows[index] ?? after
    const isNext = after.at.getTime() - before.at.getTime() < 1.5 * DAY
    return isNext ? [{ before, after, rollout: undefined }] : []
  })
}

function noteOf({ before, after, rollout }: Span, { id, name }: (typeof LAYERS)[number]) {
  const change = (after.counts[id] ?? 0) - (before.counts[id] ?? 0)
  return { layer: id, layerName: name, change, before, after, rollout }
}

const isWithin = (at: string, { before, after, rollout }: Span) =>
  !rollout && new Date(at) > before.at && new Date(at) <= after.at

const overlap = (one: Span, other: Span) =>
  one.before.at < other.after.at && other.before.at < one.after.at
