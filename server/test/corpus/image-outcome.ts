/** Precision and recall of the labels of images, by ecosystem and by what the records can tell. */
import type { ImageLabel } from './image-labels.ts'
import type { Teller } from './image-records.ts'
import type { Confidence } from './run.ts'

/** A label, what was matched, and who can tell. */
export interface JudgedLabel extends ImageLabel {
  confidence: Confidence | undefined
  teller: Teller
}

interface Score {
  /** True matches. */
  right: number
  /** False matches that the records could have prevented. */
  wrong: number
  /** What records tell, and how much of it is found. */
  told: number
  found: number
}

interface EcosystemOutcome {
  ecosystem: string
  affected: number
  unaffected: number
  /** Active findings against what a record of the package's own registry or release tells. */
  active: Score
  /** With Low, against what any record tells. */
  all: Score
  /** Wrong active findings that no record could have prevented. */
  untold: number
  /** Affected, and no record says so. */
  unknown: number
  /** Against all labels, whatever records tell: what a user of these records would see. */
  plain: Plain
}

interface Plain {
  /** True active findings, and false ones that no record could have prevented too. */
  right: number
  wrong: number
  /** True matches with Low. */
  withLow: number
}

const GROUPS: Record<string, string> = {
  maven: 'java',
  pypi: 'python',
  golang: 'go',
  binary: 'binaries',
  ol: 'oracle',
  amzn: 'amazon',
  sles: 'suse',
}

function groupOf({ package: of }: ImageLabel): string {
  const [kind = ''] = of.ecosystem.split(' ')
  return GROUPS[kind] ?? kind
}

function outcomesOf(labels: readonly JudgedLabel[]): EcosystemOutcome[] {
  const groups = Map.groupBy(labels, groupOf)
  const outcomes = [...groups].map(([ecosystem, of]) => outcomeOf(ecosystem, of))
  return [...outcomes.toSorted((a, b) => b.affected - a.affected), outcomeOf('all', labels)]
}

/** Least figures of active findings, and of recall with Low, of each ecosystem and of all together. */
const LEAST = { precision: 0.99, recall: 0.98 }

/** Answers at odds with a label that no rule can mend, by vulnerability and name. They are in the tables, and not in the gate. */
const EXPLAINED = new Map([
  ['CVE-2020-14039 go', 'Go’s record is of Windows only, therefore Low'],
  ['CVE-2021-3115 go', 'Go’s record is of Windows only, therefore Low'],
  ['CVE-2021-22921 node', 'only NVD’s record, which is not loaded, says that it is of Windows'],
  ['CVE-2021-23839 libcrypto1.1', 'OpenSSL’s record is of 1.0.2 only'],
  ['CVE-2021-23839 libssl1.1', 'OpenSSL’s record is of 1.0.2 only'],
])

function isExplained({ vulnerability, package: of }: JudgedLabel): boolean {
  return EXPLAINED.has(`${vulnerability} ${of.name}`)
}

/** The ecosystems whose figures are too low, in words; empty where the gate holds. */
export function shortfallsOf(labels: readonly JudgedLabel[]): string[] {
  const gated = labels.filter((label) => !isExplained(label))
  return outcomesOf(gated).flatMap(({ ecosystem, active, all }) => {
    return [
      ...shortfall(
        `${ecosystem}: precision`,
        [active.right, active.right + active.wrong],
        LEAST.precision,
      ),
      ...shortfall(`${ecosystem}: recall`, [active.found, active.told], LEAST.recall),
      ...shortfall(`${ecosystem}: recall with Low`, [all.found, all.told], LEAST.recall),
    ]
  })
}

function shortfall(
  figure: string,
  [part, whole]: readonly [number, number],
  least: number,
): string[] {
  return whole === 0 || part / whole >= least
    ? []
    : [`${figure} ${ratio(part, whole)} of ${whole}, at least ${least}`]
}

function outcomeOf(ecosystem: string, labels: readonly JudgedLabel[]): EcosystemOutcome {
  const affected = labels.filter(({ isAffected }) => isAffected)
  const unaffected = labels.filter(({ isAffected }) => !isAffected)
  const score = (isFound: (label: JudgedLabel) => boolean, tellers: readonly Teller[]): Score => {
    const told = affected.filter(({ teller }) => tellers.includes(teller))
    return {
      right: affected.filter(isFound).length,
      wrong: unaffected.filter((label) => isFound(label) && canTell(label)).length,
      told: told.length,
      found: told.filter(isFound).length,
    }
  }
  return {
    ecosystem,
    affected: affected.length,
    unaffected: unaffected.length,
    active: score(isActive, ['own']),
    all: score(({ confidence }) => confidence !== undefined, ['own', 'product']),
    untold: unaffected.filter((label) => isActive(label) && !canTell(label)).length,
    unknown: affected.filter(({ teller }) => teller === 'none').length,
    plain: {
      right: affected.filter(isActive).length,
      wrong: unaffected.filter(isActive).length,
      withLow: affected.filter(({ confidence }) => confidence !== undefined).length,
    },
  }
}

export function isActive({ confidence }: JudgedLabel): boolean {
  return confidence === 'High' || confidence === 'Medium'
}

/** Where no record names the package, a match is one of another product; so that the records could have prevented it. */
export function canTell({ teller }: JudgedLabel): boolean {
  return teller === 'own' || teller === 'none'
}

function tableOf(outcomes: readonly EcosystemOutcome[]): string {
  const rows = outcomes.map(({ ecosystem, affected, unaffected, active, all, untold, unknown }) => [
    ecosystem,
    `${affected}`,
    `${unaffected}`,
    ...columnsOf(active),
    `${untold}`,
    ...columnsOf(all),
    `${unknown}`,
  ])
  return linesOf([HEAD, ...rows])
}

/** Of all labels, those included that no record that is loaded tells. */
function plainTableOf(outcomes: readonly EcosystemOutcome[]): string {
  const rows = outcomes.map(({ ecosystem, affected, unaffected, unknown, plain }) => [
    ecosystem,
    `${affected}`,
    `${unaffected}`,
    `${plain.right}`,
    `${plain.wrong}`,
    ratio(plain.right, plain.right + plain.wrong),
    ratio(plain.right, affected),
    ratio(plain.withLow, affected),
    ratio(unknown, affected),
  ])
  return linesOf([PLAIN_HEAD, ...rows])
}

function linesOf(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    table.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  )
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
  return lines.join('\n')
}

const PLAIN_HEAD = [
  'all labels',
  'affected',
  'not',
  'active: right',
  'wrong',
  'precision',
  'recall',
  'recall with Low',
  'no record',
]

const HEAD = [
  'images',
  'affected',
  'not',
  'active: right',
  'wrong',
  'precision',
  'told',
  'recall',
  'untold',
  'with Low: right',
  'wrong',
  'precision',
  'told',
  'recall',
  'no record',
]

function columnsOf({ right, wrong, told, found }: Score): string[] {
  return [`${right}`, `${wrong}`, ratio(right, right + wrong), `${told}`, ratio(found, told)]
}

function ratio(part: number, whole: number): string {
  return whole === 0 ? '-' : (part / whole).toFixed(3)
}

const MOST_LISTED = 40

/** `odds`: the ecosystem, or `all`, whose answers at odds with their labels are listed. */
export function imageReportOf(
  labels: readonly JudgedLabel[],
  { lost, wrong, gained, mended }: Record<'lost' | 'wrong' | 'gained' | 'mended', JudgedLabel[]>,
  odds: string,
): string {
  const listed = (words: string, of: readonly JudgedLabel[]) =>
    of.length === 0
      ? []
      : [`  ${of.length} ${words}:`, ...imageTextsOf(of.slice(0, MOST_LISTED)).map(indented)]
  const outcomes = outcomesOf(labels)
  return [
    tableOf(outcomes),
    '',
    plainTableOf(outcomes),
    ...listed('true matches lost since the accepted run', lost),
    ...listed('false active matches new since the accepted run', wrong),
    ...listed('true matches new since the accepted run', gained),
    ...listed('false active matches gone since the accepted run', mended),
    ...labels
      .filter((label) => odds === 'all' || odds === groupOf(label))
      .flatMap((label) => oddsOf(label) ?? []),
  ].join('\n')
}

function oddsOf(label: JudgedLabel): string | undefined {
  const { isAffected, confidence, teller } = label
  const isMissed =
    isAffected && (confidence === undefined || (teller === 'own' && !isActive(label)))
  if (!isMissed && (isAffected || confidence === undefined)) return undefined
  return `  ${isMissed ? 'missed' : 'wrong '}  ${imageTextsOf([label])[0]}`
}

function indented(line: string): string {
  return `    ${line}`
}

export function imageTextsOf(labels: readonly JudgedLabel[]): string[] {
  return labels.map(
    ({ package: { image, name, version, ecosystem }, vulnerability, confidence, teller }) =>
      `${vulnerability}  ${name} ${version} (${ecosystem}, ${image.name}): ${confidence ?? 'no match'}, told by ${teller}`,
  )
}
