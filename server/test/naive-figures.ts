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
  | { kind: 'Nothing' }

/** The first day, on which both flaws became public, is 1. */
export interface Told {
  days: { happens: Happening; versions: { hasFix: boolean }[]; devices: number[] }[]
}

interface Decided {
  day: number
  version: number
  assessment: (typeof DECISIONS)[number]
  byPerson: boolean
}

/** What is known of a flaw at the end of a day. */
interface Flaw {
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
    if (happens.kind === 'Release') releases.push({ day, hasFix: happens.hasFix })
    if (happens.kind !== 'Decide' || happens.flaw !== flaw || versions.length === 0) continue
    const version = happens.version % versions.length
    if (versions[version]?.hasFix === false) decided.push({ ...happens, day, version })
  }
  const detected = releases.find(({ hasFix }) => !hasFix)?.day
  const severity = SEVERITIES[flaw] ?? 'High'
  return detected === undefined ? undefined : { severity, decided, releases, detected }
}

const findFirst = ({ decided }: Flaw, isPerson: boolean) =>
  decided.find(({ assessment, byPerson }) => assessment !== 'InTriage' && byPerson === isPerson)

/** What nobody says of any more that it matters. */
function isAway({ decided }: Flaw, version: number): boolean {
  const last = decided.findLast((one) => one.version === version)?.assessment
  return last === 'NotAffected' || last === 'FalsePositive'
}

const listAffected = ({ releases }: Flaw) =>
  releases.flatMap(({ hasFix }, index) => (hasFix ? [] : [index]))

/** The first days at whose end a share of the most devices so far, or less, still ran it. */
function findReached(told: Told, flaw: Flaw, { share, to }: { share: number; to: number }) {
  const running = told.days.slice(0, to).map(({ devices }) =>
    listAffected(flaw)
      .filter((version) => !isAway(flaw, version))
      .reduce((sum, version) => sum + (devices[version] ?? 0), 0),
  )
  const place = running.findIndex((devices, index) => {
    const peak = Math.max(...running.slice(0, index + 1))
    return peak > 0 && devices <= peak * share
  })
  return place === -1 ? undefined : place + 1
}

const findRank = (numbers: readonly number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? null

function isWithin(flaw: Flaw, from: number, to: number): boolean | undefined {
  const due = flaw.detected + LATEST_DAYS[flaw.severity]
  const byPerson = findFirst(flaw, true)
  if (due < from || due > to || (!byPerson && findFirst(flaw, false))) return undefined
  return byPerson !== undefined && byPerson.day <= due
}

function findTriage(flaw: Flaw, from: number): number | undefined {
  const byPerson = findFirst(flaw, true)
  const byDocument = findFirst(flaw, false)
  if (!byPerson || byPerson.day < from) return undefined
  return byDocument && byDocument.day < byPerson.day ? undefined : byPerson.day - flaw.detected
}

function findFix(flaw: Flaw, from: number): number | undefined {
  const fix = flaw.releases.find(({ day, hasFix }) => hasFix && day > flaw.detected)
  if (!fix || fix.day < from) return undefined
  if (listAffected(flaw).every((version) => isAway(flaw, version))) return undefined
  return fix.day - flaw.detected
}

export function walkFigures(told: Told, from: number, to: number) {
  const flaws = SEVERITIES.flatMap((_, index) => walkFlaw(told, index, to) ?? [])
  const triage = flaws.flatMap((flaw) => findTriage(flaw, from) ?? [])
  const fixes = flaws.flatMap((flaw) => findFix(flaw, from) ?? [])
  const within = flaws.flatMap((flaw) => isWithin(flaw, from, to) ?? [])
  const fleet = [0.5, 0.1, 0.01].map((share) => {
    const days = flaws.flatMap((flaw) => findReached(told, flaw, { share, to }) ?? [])
    return findRank(
      days.filter((day) => day >= from).map((day) => day - 1),
      0.5,
    )
  })
  const met = within.filter(Boolean).length
  return {
    timeToTriage: [findRank(triage, 0.5), findRank(triage, 0.9)],
    timeToFix: [findRank(fixes, 0.5), findRank(fixes, 0.9)],
    timeToFleet: fleet,
    decidedWithinTarget: [
      within.length === 0 ? null : Math.round((1000 * met) / within.length) / 10,
    ],
    falsePositives: flaws.filter((flaw) => {
      const first = findFirst(flaw, true)
      return first?.assessment === 'FalsePositive' && first.day >= from
    }).length,
  }
}
