/** Figures of a period by a naive walk over what was done day by day, one thing a day. It knows nothing of tables. */

export const SEVERITIES = ['Critical', 'High'] as const
/** In how many days each is to be decided. */
export const LATEST_DAYS = { Critical: 7, High: 30 } as const
export const DECISIONS = ['Exploitable', 'NotAffected', 'FalsePositive', 'InTriage'] as const

export type Happening =
  | { kind: 'Release'; hasFix: boolean }
  | {
      kind: 'Decide'
      /** A place in `SEVERITIES`: there is one flaw of each. */
      flaw: number
      version: number
      assessment: (typeof DECISIONS)[number]
      byPerson: boolean
    }
  | { kind: 'Run'; version: number; devices: number }
  /** The rule about both flaws gives them to one of two members, or to nobody; one flaw is assigned. */
  | { kind: 'Own'; owner: number | null }
  | { kind: 'Assign'; flaw: number; owner: number | null }
  /** In how many days each outcome of SSVC wants a decision. */
  | { kind: 'Aim'; target: number | null }
  | { kind: 'Nothing' }

/** The first day, on which both flaws became public, is 1. */
export interface Told {
  /** Devices that run no known version, from the day before the first one on. */
  strangers: number
  days: { happens: Happening; versions: { hasFix: boolean }[]; devices: number[] }[]
}

interface Decided {
  day: number
  version: number
  assessment: (typeof DECISIONS)[number]
  by: 'Person' | 'Document' | 'EarlierVersion'
}

/** What is known of a flaw at the end of a day. */
interface Flaw {
  flaw: number
  severity: (typeof SEVERITIES)[number]
  decided: Decided[]
  releases: { day: number; hasFix: boolean }[]
  detected: number
}

function walkFlaw({ days }: Told, flaw: number, to: number): Flaw | undefined {
  const decided: Decided[] = []
  const releases: Flaw['releases'] = []
  for (const [index, { happens, versions }] of days.slice(0, to).entries()) {
    const day = index + 1
    if (happens.kind === 'Release') {
      releases.push({ day, hasFix: happens.hasFix })
      decided.push(...carryOver({ decided, releases, day }))
    }
    if (happens.kind !== 'Decide' || happens.flaw !== flaw || versions.length === 0) continue
    const version = happens.version % versions.length
    const { assessment, byPerson } = happens
    const by = byPerson ? 'Person' : 'Document'
    if (versions[version]?.hasFix === false) decided.push({ assessment, by, day, version })
  }
  const detected = releases.find(({ hasFix }) => !hasFix)?.day
  const severity = SEVERITIES[flaw] ?? 'High'
  return detected === undefined ? undefined : { flaw, severity, decided, releases, detected }
}

/** The newest version begins with what was said last of the one before it, if both have the flaw. */
function carryOver({
  decided,
  releases,
  day,
}: Pick<Flaw, 'decided' | 'releases'> & { day: number }) {
  const version = releases.length - 1
  const last = findLast({ decided }, version - 1)
  return last && releases[version]?.hasFix === false
    ? [{ ...last, day, version, by: 'EarlierVersion' as const }]
    : []
}

const findLast = ({ decided }: Pick<Flaw, 'decided'>, version: number) =>
  decided.findLast((one) => one.version === version)

const findFirst = ({ decided }: Flaw, who: Decided['by']) =>
  decided.find(({ assessment, by }) => assessment !== 'InTriage' && by === who)

/** What nobody says of any more that it matters. */
function isAway(flaw: Flaw, version: number): boolean {
  const last = findLast(flaw, version)?.assessment
  return last === 'NotAffected' || last === 'FalsePositive'
}

const listAffected = ({ releases }: Flaw) =>
  releases.flatMap(({ hasFix }, index) => (hasFix ? [] : [index]))

/**
 * The first day at whose end a share of the most devices so far, or less, still ran it. A day without any device was not counted, and
 * of what was public before the first counted day nothing can be told.
 */
function findReached(told: Told, flaw: Flaw, { share, to }: { share: number; to: number }) {
  const affected = listAffected(flaw).filter((version) => !isAway(flaw, version))
  const counted = told.days.slice(0, to).flatMap(({ devices }, index) => {
    const running = affected.reduce((sum, version) => sum + (devices[version] ?? 0), 0)
    const all = devices.reduce((sum, each) => sum + each, told.strangers)
    return all === 0 ? [] : [{ day: index + 1, running }]
  })
  if (told.strangers === 0 && counted[0]?.day !== 1) return undefined
  const reached = counted.find(({ running }, index) => {
    const peak = Math.max(...counted.slice(0, index + 1).map((one) => one.running))
    return peak > 0 && running <= peak * share
  })
  return reached?.day
}

const findRank = (numbers: readonly number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? null

const happeningsUntil = ({ days }: Told, day: number) =>
  days.slice(0, day).map(({ happens }) => happens)

function findAim(told: Told, day: number): number | null {
  const last = happeningsUntil(told, day).findLast(({ kind }) => kind === 'Aim')
  return last?.kind === 'Aim' ? last.target : null
}

export function findOwner(told: Told, flaw: number, day: number): number | null {
  const all = happeningsUntil(told, day)
  const assigned = all.findLast((one) => one.kind === 'Assign' && one.flaw === flaw)
  if (assigned?.kind === 'Assign' && assigned.owner !== null) return assigned.owner
  const given = all.findLast(({ kind }) => kind === 'Own')
  return given?.kind === 'Own' ? given.owner : null
}

/** Day by day: the first on which it is overdue by what its outcome asks for that day. */
function findDueByOutcome(told: Told, flaw: Flaw, to: number): number {
  const decided = findFirst(flaw, 'Person')?.day ?? Infinity
  for (let day = flaw.detected; day <= to; day++) {
    const aim = findAim(told, day)
    const due = aim === null ? Infinity : flaw.detected + aim
    if (day === decided) return due
    if (day >= due) return day
  }
  return Infinity
}

interface Walked {
  flaw: number
  day: number
}

function findDecided(told: Told, flaw: Flaw, { from, to }: { from: number; to: number }) {
  const bySeverity = flaw.detected + LATEST_DAYS[flaw.severity]
  const due = Math.min(bySeverity, findDueByOutcome(told, flaw, to))
  const byPerson = findFirst(flaw, 'Person')
  if (due < from || due > to || (!byPerson && findFirst(flaw, 'Document'))) return []
  return [{ flaw: flaw.flaw, day: due, isWithin: byPerson !== undefined && byPerson.day <= due }]
}

function findTriage(flaw: Flaw, from: number): (Walked & { took: number })[] {
  const byPerson = findFirst(flaw, 'Person')
  const byDocument = findFirst(flaw, 'Document')
  if (!byPerson || byPerson.day < from) return []
  if (byDocument && byDocument.day < byPerson.day) return []
  return [{ flaw: flaw.flaw, day: byPerson.day, took: byPerson.day - flaw.detected }]
}

/** By the owner of the day, where anything found until then was anybody's. */
function groupByOwner<One extends Walked, Measured>(
  told: Told,
  all: readonly One[],
  measure: (own: readonly One[]) => Measured,
): Record<string, Measured> {
  const groups = Map.groupBy(all, ({ flaw, day }) => String(findOwner(told, flaw, day)))
  return Object.fromEntries([...groups].map(([owner, own]) => [owner, measure(own)]))
}

const isEverOwned = (told: Told, flaws: readonly Flaw[], to: number) =>
  flaws.some(({ flaw, detected }) =>
    Array.from({ length: to - detected + 1 }, (_, index) => detected + index).some(
      (day) => findOwner(told, flaw, day) !== null,
    ),
  )

const measureTriage = (own: readonly { took: number }[]) =>
  [0.5, 0.9].map((share) =>
    findRank(
      own.map(({ took }) => took),
      share,
    ),
  )

const measureWithin = (own: readonly { isWithin: boolean }[]) => [
  own.length === 0
    ? null
    : Math.round((1000 * own.filter(({ isWithin }) => isWithin).length) / own.length) / 10,
]

function findFix(flaw: Flaw, from: number): number | undefined {
  const fix = flaw.releases.find(({ day, hasFix }) => hasFix && day > flaw.detected)
  if (!fix || fix.day < from) return undefined
  if (listAffected(flaw).every((version) => isAway(flaw, version))) return undefined
  return fix.day - flaw.detected
}

export function walkFigures(told: Told, from: number, to: number) {
  const flaws = SEVERITIES.flatMap((_, index) => walkFlaw(told, index, to) ?? [])
  const triage = flaws.flatMap((flaw) => findTriage(flaw, from))
  const fixes = flaws.flatMap((flaw) => findFix(flaw, from) ?? [])
  const within = flaws.flatMap((flaw) => findDecided(told, flaw, { from, to }))
  const isOwned = isEverOwned(told, flaws, to)
  const fleet = [0.5, 0.1, 0.01].map((share) => {
    const days = flaws.flatMap((flaw) => findReached(told, flaw, { share, to }) ?? [])
    return findRank(
      days.filter((day) => day >= from).map((day) => day - 1),
      0.5,
    )
  })
  return {
    timeToTriage: measureTriage(triage),
    triageByOwner: isOwned ? groupByOwner(told, triage, measureTriage) : {},
    withinByOwner: isOwned ? groupByOwner(told, within, measureWithin) : {},
    timeToFix: [findRank(fixes, 0.5), findRank(fixes, 0.9)],
    timeToFleet: fleet,
    decidedWithinTarget: measureWithin(within),
    falsePositives: flaws.filter((flaw) => {
      const first = findFirst(flaw, 'Person')
      return first?.assessment === 'FalsePositive' && first.day >= from
    }).length,
  }
}
