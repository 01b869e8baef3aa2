/** The dossier of a release as a table: a line for each thing it holds, each with the instant that it shows. */
import { type Cell, writeCsvTable } from '../../../formats/csv.ts'
import { describeAssessment, describeDecider, listReasons } from '../sheet/words.ts'
import { sumCounts } from '../version/counts-table.ts'
import type { ReportedFinding } from '../version/store.ts'
import { describeGrades, type Dossier } from './dossier.ts'

interface Line {
  section: string
  item: string | null
  detail: string | null
  state: string | null
  value: Cell
  by: string | null
  since: Date | string | null
  until: Date | string | null
  reason: string | null
}

const EMPTY = {
  item: null,
  detail: null,
  state: null,
  value: null,
  by: null,
  since: null,
  until: null,
  reason: null,
}

/** Formulas and quotes are the writer's matter. */
export function writeDossierCsv(dossier: Dossier): string {
  const { at, imprint } = dossier
  const table = writeCsvTable<Line>([
    'section',
    'item',
    'detail',
    'state',
    'value',
    'by',
    ['since', ({ since }) => since],
    ['until', ({ until }) => until],
    'reason',
    ['asOf', () => at],
    ['computedAt', () => imprint.printedAt],
  ])
  return table.header + listLines(dossier).map(table.line).join('')
}

const line = (section: string, fields: Partial<Line>): Line => ({ ...EMPTY, section, ...fields })

const listLines = (dossier: Dossier): Line[] => [
  ...listContents(dossier),
  ...[...dossier.activeFindings, ...dossier.otherFindings].map((one) =>
    line('finding', describeFinding(one)),
  ),
  ...listLeftOut(dossier),
  ...listAccepted(dossier),
  ...listDifferences(dossier),
  ...listRollouts(dossier),
  ...listPresent(dossier),
]

/** More findings than a table holds. */
function listLeftOut({ counts, activeFindings, otherFindings }: Dossier): Line[] {
  const shown = activeFindings.length + otherFindings.length
  const value = sumCounts(counts, () => true) - shown
  return value > 0 ? [line('finding', { state: 'left out: the table is full', value })] : []
}

const SECURITY_ONLY = { true: 'yes', false: 'no', null: 'not known' } as const

function listContents({ version, sboms, artifact }: Dossier): Line[] {
  return [
    line('version', {
      item: `${version.firmware.slug} ${version.name}`,
      since: version.createdAt,
      state: `security only: ${SECURITY_ONLY[`${version.securityOnly}`]}`,
    }),
    ...sboms.map((one) =>
      line('sbom', {
        item: one.fileName,
        detail: one.sha256,
        state: one.parsingState,
        value: one.componentCount,
        since: one.createdAt,
        until: one.replacedAt,
        reason: describeGrades(one).join('; '),
      }),
    ),
    ...(artifact ? [artifact] : []).map((one) =>
      line('artifact', {
        item: one.fileName,
        detail: one.sha256,
        value: one.sizeBytes,
        since: one.createdAt,
      }),
    ),
  ]
}

const listAccepted = ({ accepted }: Dossier): Line[] =>
  accepted.map(({ acceptance, ...one }) =>
    line('accepted risk', {
      item: one.vulnerabilityId,
      detail: [one.componentName, one.componentVersion].filter(Boolean).join(' '),
      state: one.severity,
      by: acceptance?.owner?.email ?? acceptance?.acceptedByEmail ?? null,
      since: acceptance?.acceptedAt ?? null,
      until: acceptance?.until ?? null,
      reason: acceptance?.reason ?? null,
    }),
  )

function listDifferences({ predecessor }: Dossier): Line[] {
  if (!predecessor) return []
  const { name: item, differences } = predecessor
  return differences.flatMap(({ severity: state, introduced, remaining, gone }) => [
    line('comparison', { item, detail: 'new', state, value: introduced }),
    line('comparison', { item, detail: 'in both', state, value: remaining }),
    line('comparison', { item, detail: 'gone', state, value: gone }),
  ])
}

function listRollouts({ deployments, deviceCount }: Dossier): Line[] {
  return [
    ...(deployments ?? []).map((one) =>
      line('roll-out', {
        item: one.name,
        detail: one.cohort,
        state: one.state,
        value: one.succeeded,
        since: one.createdAt,
        until: one.endedAt,
        reason: `${one.failed} failed, ${one.cancelled} cancelled, ${one.open} open`,
      }),
    ),
    ...(deployments === null ? [line('roll-out', { state: 'not shown' })] : []),
    line('devices', {
      state: deviceCount === null ? 'not known' : 'reported',
      value: deviceCount,
    }),
  ]
}

function describeFinding(one: ReportedFinding): Partial<Line> {
  const isDecided = one.ignored || one.assessment !== 'NotAssessed'
  return {
    item: one.vulnerabilityId,
    detail: [one.componentName, one.componentVersion].filter(Boolean).join(' '),
    state: `${one.severity}; ${describeAssessment(one.assessment, one.ignored)}; ${one.isActive ? 'counts' : 'does not count'}`,
    value: one.cvssScore,
    by: isDecided && one.source !== null ? describeDecider(one.source, one.decidedByEmail) : null,
    since: one.detectedAt,
    until: isDecided ? one.decidedAt : null,
    reason: isDecided ? listReasons(one).join('; ') : null,
  }
}

const NOT_OF_THE_PAST = [
  'release gate',
  'artifact check',
  'chain from SBOM to device',
  'coverage',
  'licence',
  'support',
  'source',
]

/** What is known of now only. */
function listPresent({ present }: Dossier): Line[] {
  if (!present)
    return NOT_OF_THE_PAST.map((section) => line(section, { state: 'not known for the past' }))
  const { mark, coverage, licences, support, sources, images, chain } = present
  return [
    line('release gate', { item: mark.state, reason: mark.sentence }),
    ...mark.reasons.map(({ rule, verdict, text, count }) =>
      line('release gate', { item: rule, state: verdict, value: count, reason: text }),
    ),
    ...images.map((one) =>
      line('artifact check', { item: one.fileName, state: one.state, reason: one.reason }),
    ),
    ...chain.links.map(({ from, to, state, by, why, step }) =>
      line('chain from SBOM to device', {
        item: from,
        detail: step === 'ImageToDevices' ? 'devices' : to,
        state,
        by,
        reason: why,
      }),
    ),
    line('coverage', { item: 'components that were looked up', value: coverage.judgedCount }),
    line('coverage', {
      item: 'components of which nothing can be told',
      value: coverage.notJudgedCount,
    }),
    ...coverage.reasons.map(({ reason, count }) =>
      line('coverage', { item: reason, value: count }),
    ),
    ...licences.licences.map((one) =>
      line('licence', {
        item: one.licence ?? 'none stated',
        state: one.outcome ?? 'not judged',
        value: one.componentCount,
      }),
    ),
    ...support.entries.map((one) =>
      line('support', {
        item: [one.label, one.cycle].filter(Boolean).join(' '),
        state: one.state,
        value: one.componentCount,
        until: one.endsOn,
      }),
    ),
    line('support', { item: 'not listed', state: 'not known', value: support.counts.notListed }),
    ...sources.map((one) =>
      line('source', {
        item: one.source,
        state: one.isStale ? 'too old or never read' : 'read',
        since: one.lastCompleteAt,
      }),
    ),
  ]
}
