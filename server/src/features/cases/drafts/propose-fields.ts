/** Texts of fields by what Plimsoll knows. What it does not know it does not propose: whoever reports says it. */
import { formatInstant } from '../../../formats/instants.ts'
import { describeAttack, describeLoss } from '../../../formats/cvss-words.ts'
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { shortenText } from '../../../formats/shorten.ts'
import { formatStateName } from '../../../formats/law/member-states.ts'
import { lowerWords } from '../../../formats/words.ts'
import type { DraftFacts, DraftLine, DraftRecord } from './draft-facts.ts'
import {
  proposeForUsers,
  proposeMeasureAvailable,
  proposeMeasuresTaken,
  proposeMeasureSoon,
} from './measures.ts'
import {
  formatLocally,
  listDistinct,
  MOST_LISTED,
  type ProposedText,
  proposeText,
  tellBy,
} from './proposed-text.ts'
import { describeVersions } from './version-ranges.ts'

type Propose = (facts: DraftFacts) => ProposedText | undefined

const MOST_VERSIONS = 255
/** In a summary, beside other things. */
const MOST_VERSIONS_IN_TEXT = 1_000

const nameLines = (lines: readonly DraftLine[]) =>
  `product line ${lines.map(({ name }) => name).join(', ')}`

/** What lines say; undefined where none does. */
function fromLines(
  { lines }: DraftFacts,
  tell: (line: DraftLine) => string | undefined,
): ProposedText | undefined {
  const told = lines.map((line) => ({ line, text: tell(line) }))
  const said = told.filter((one) => one.text !== undefined)
  const texts = listDistinct(said.map(({ text = '' }) => text))
  if (texts.length === 0) return undefined
  const isAlike = texts.length === 1 && said.length === lines.length
  const text = isAlike
    ? (texts[0] ?? '')
    : told.map(({ line, text: own = 'not known' }) => `${line.name}: ${own}`).join('; ')
  return proposeText(text, nameLines(said.map(({ line }) => line)))
}

const CLASSES = {
  Default: 'Default',
  ImportantI: 'Important, class I',
  ImportantII: 'Important, class II',
  Critical: 'Critical',
} as const

const LISTS = { cisa: 'CISA', enisa: 'ENISA' } as const

const describeLists = ({ exploitedSources }: DraftRecord) =>
  exploitedSources
    .map(({ source, dateAdded }) => `${LISTS[source]} since ${dateAdded}`)
    .join(' and ')

function tellComponents({ components }: DraftFacts, most: number): string {
  const named = listDistinct(
    components.map(({ name, version }) => (version === null ? name : `${name} ${version}`)),
  )
  return shortenText(named.join(', '), most)
}

const tellVersions = (facts: DraftFacts, most: number) => describeVersions(facts.versions, most)

const recordSource = ({ cveId, source }: DraftRecord) =>
  source === null ? `records of ${cveId}` : `record of ${cveId} (${source})`

function proposeSummary(facts: DraftFacts): ProposedText | undefined {
  const { type, title, record, signal, lines, manufacturer } = facts
  const products = lines.map(({ name }) => name).join(', ')
  const component = tellComponents(facts, 255)
  const what = type === 'Incident' ? title : (facts.cveId ?? title)
  const ofProducts = products === '' ? '' : `${products}${manufacturer && ` by ${manufacturer}`}`
  const lists = record ? describeLists(record) : ''
  const versions = tellVersions(facts, MOST_VERSIONS_IN_TEXT)
  const parts = [
    `${what}${tellWhere(component, ofProducts)}.`,
    lists === '' ? '' : `Listed as actively exploited by ${lists}.`,
    versions === '' ? '' : `Affected versions: ${versions}.`,
    type === 'Incident' && signal !== null ? signal : '',
  ]
  return proposeText(parts.filter((part) => part !== '').join(' '), 'case, findings and lists')
}

/** An incident, and a vulnerability whose component nobody knows, are in no component. */
function tellWhere(component: string, products: string): string {
  if (component === '') return products === '' ? '' : `; product: ${products}`
  return ` in ${component}${products === '' ? '' : `, a component of ${products}`}`
}

/** Records state several scores: the newest version of CVSS first. */
const listScores = ({ cvssScores }: DraftRecord) =>
  cvssScores.toSorted((one, two) => two.version.localeCompare(one.version))

function proposeAttackVector({ record }: DraftFacts): ProposedText | undefined {
  for (const score of record ? listScores(record) : []) {
    const words = describeAttack(score.vectorString)
    if (words !== undefined)
      return proposeText(
        words.charAt(0).toUpperCase() + words.slice(1),
        `CVSS ${score.version} by ${score.source}`,
      )
  }
  return undefined
}

function proposeSeverity({ record }: DraftFacts): ProposedText | undefined {
  if (!record) return undefined
  const scores = listScores(record).slice(0, MOST_LISTED)
  const [first] = scores
  const loss = first && describeLoss(first.vectorString)
  const lists = describeLists(record)
  const parts = [
    ...scores.map(
      (score) =>
        `CVSS ${score.version}: ${score.baseScore} (${score.baseSeverity.toLowerCase()}) by ${score.source}, ${score.vectorString}.`,
    ),
    scores.length === 0 ? `Severity: ${record.severity.toLowerCase()}; no record has a score.` : '',
    loss === undefined ? '' : `${loss.charAt(0).toUpperCase()}${loss.slice(1)}.`,
    record.epssScore === null ? '' : tellEpss(record.epssScore, record.epssPercentile),
    lists === '' ? '' : `Listed as actively exploited by ${lists}.`,
  ]
  return proposeText(parts.filter((part) => part !== '').join('\n'), recordSource(record))
}

function tellEpss(score: number, percentile: number | null): string {
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`
  const rank = percentile === null ? '' : `, above ${percent(percentile)} of all`
  return `EPSS: ${percent(score)} probability of exploitation in the next 30 days${rank}.`
}

function proposeGeneralInformation(facts: DraftFacts): ProposedText | undefined {
  const { record, standing, decisions } = facts
  if (!record) return undefined
  const weaknesses = record.cwes.map(({ id, name }) => (id === name ? id : `${id} ${name}`))
  const { CanBeExploited: can, WasExploited: was } = standing.answers
  const answers = [
    can && `Exploitable in the product: ${tellAnswer(can)}`,
    was && `Exploited in the product: ${tellAnswer(was)}`,
  ]
  const decided = listDistinct(
    decisions.map(
      ({ version, assessment, detail }) =>
        `${version}: ${lowerWords(assessment)}${detail === null ? '' : ` (${detail})`}.`,
    ),
  ).slice(0, MOST_LISTED)
  const parts = [
    record.description ?? '',
    weaknesses.length === 0 ? '' : `Weaknesses: ${weaknesses.join(', ')}.`,
    ...answers.filter((one) => one !== undefined),
    ...decided,
  ]
  const source = decided.length > 0 ? `decisions and ${recordSource(record)}` : recordSource(record)
  return proposeText(parts.filter((part) => part !== '').join('\n'), source)
}

const tellAnswer = ({ detail, text }: { detail: { answer?: string }; text: string | null }) =>
  `${(detail.answer ?? 'unknown').toLowerCase()}${text === null ? '' : `. ${text}`}.`.replace(
    /\.\.$/,
    '.',
  )

function proposeImpact({
  deviceCount,
  devicesByVersion,
  now,
  versions,
}: DraftFacts): ProposedText | undefined {
  if (versions.length === 0 && devicesByVersion.length === 0) return undefined
  const running = devicesByVersion
    .filter((one) => one.deviceCount > 0)
    .toSorted((one, two) => two.deviceCount - one.deviceCount)
  const listed = running
    .slice(0, MOST_LISTED)
    .map((one) => `${one.version}: ${formatNumber(one.deviceCount)}`)
  const left = running.length - listed.length
  const parts = [
    `${tellDevices(deviceCount)} an affected version as of ${formatInstant(now)}.`,
    listed.length === 0
      ? ''
      : `By version: ${listed.join('; ')}${left > 0 ? `; and ${formatCountOf(left, 'version')} more` : ''}.`,
    'Devices that do not report to this service are not counted.',
  ]
  return proposeText(parts.filter((part) => part !== '').join(' '), 'what devices report')
}

const tellDevices = (count: number) =>
  count === 1 ? '1 device reports' : `${count === 0 ? 'No' : formatNumber(count)} devices report`

function proposeAwareness({ standing, lines }: DraftFacts): ProposedText | undefined {
  const { awareness } = standing
  if (!awareness?.instant) return undefined
  const estimate = awareness.isEstimate ? ' (estimated)' : ''
  return proposeText(
    `${formatLocally(awareness.instant, lines)}${estimate}`,
    `instant of awareness, set by ${tellBy(awareness)}`,
  )
}

function proposeSupportEnded(facts: DraftFacts): ProposedText | undefined {
  const month = facts.now.toISOString().slice(0, 7)
  return fromLines(facts, ({ supportEndsIn: end }) => {
    if (end === null) return undefined
    return end < month ? `Yes, in ${end}` : `No, supported until ${end}`
  })
}

function proposeMemberStates(facts: DraftFacts): ProposedText | undefined {
  const stated = listDistinct(facts.lines.flatMap(({ memberStates }) => memberStates)).toSorted()
  const names = stated.map((state) => `${formatStateName(state)} (${state})`)
  return proposeText(names.join(', '), nameLines(facts.lines))
}

/** By the keys of fields. A field without one is said by people alone. */
export const PROPOSALS: Readonly<Record<string, Propose>> = {
  type: ({ type }) =>
    proposeText(
      type === 'Vulnerability' ? 'Actively exploited vulnerability' : 'Severe incident',
      'case',
    ),
  title: ({ title, lines }) =>
    proposeText(
      shortenText(
        lines.length === 0 ? title : `${title}: ${lines.map(({ name }) => name).join(', ')}`,
        255,
      ),
      'case',
    ),
  summary: proposeSummary,
  manufacturer: ({ manufacturer, lines }) => proposeText(manufacturer, nameLines(lines)),
  memberStates: proposeMemberStates,
  product: ({ lines }) =>
    proposeText(shortenText(lines.map(({ name }) => name).join(', '), 255), nameLines(lines)),
  versions: (facts) => proposeText(tellVersions(facts, MOST_VERSIONS), 'findings and versions'),
  productClass: (facts) => fromLines(facts, ({ productClass }) => CLASSES[productClass]),
  productCategory: (facts) => fromLines(facts, ({ category }) => category ?? undefined),
  supportEnded: proposeSupportEnded,
  component: (facts) => proposeText(tellComponents(facts, 255), 'findings'),
  measureSoon: proposeMeasureSoon,
  userAction: proposeForUsers,
  measuresTaken: proposeMeasuresTaken,
  measuresOfUsers: proposeForUsers,
  attackVector: proposeAttackVector,
  cveId: ({ cveId }) => proposeText(cveId ?? '', 'case'),
  euvdId: ({ record }) =>
    record ? proposeText(record.euvdId ?? '', recordSource(record)) : undefined,
  generalInformation: proposeGeneralInformation,
  measureAvailableSince: proposeMeasureAvailable,
  measureDetails: proposeMeasuresTaken,
  severity: proposeSeverity,
  impact: proposeImpact,
  awareSince: proposeAwareness,
  incidentAwareSince: proposeAwareness,
  incidentImpact: proposeImpact,
}

/** The Member States of devices are no statement about the product, but somebody may have forgotten one. */
export function findUnsaidStates({ deviceStates, lines }: DraftFacts): DraftFacts['deviceStates'] {
  const stated = new Set(lines.flatMap(({ memberStates }) => memberStates))
  return deviceStates.filter(({ state }) => !stated.has(state))
}
