/**
 * The tables that every workspace has. CISA's is the published one (data/json/decision_tables/cisa/cisa_coordinator_2_0_3.json of
 * github.com/CERTCC/SSVC). That of the fleet is CISA's with what only the fleet tells, and is the product's own.
 */
import type { DecisionTable, TablePoint } from './decision-table.ts'
import { type DecisionPoint, type PointName, POINTS } from './points.ts'

const OUTCOMES = [
  { key: 'T', name: 'Track' },
  { key: 'T*', name: 'Track*' },
  { key: 'AT', name: 'Attend' },
  { key: 'AC', name: 'Act' },
]
const OUTCOME = 'cisa:CISA:1.1.0'

/**
 * By exploitation, automatable and technical impact, the outcomes of low, medium and high mission and well-being, in the order of the
 * published rows.
 */
const CISA_ROWS: readonly (readonly [string, string, string, readonly [string, string, string]])[] =
  [
    ['N', 'N', 'P', ['T', 'T', 'T']],
    ['N', 'N', 'T', ['T', 'T', 'T*']],
    ['N', 'Y', 'P', ['T', 'T', 'AT']],
    ['N', 'Y', 'T', ['T', 'T', 'AT']],
    ['P', 'N', 'P', ['T', 'T', 'T*']],
    ['P', 'N', 'T', ['T', 'T*', 'AT']],
    ['P', 'Y', 'P', ['T', 'T', 'AT']],
    ['P', 'Y', 'T', ['T', 'T*', 'AT']],
    ['A', 'N', 'P', ['T', 'T', 'AT']],
    ['A', 'N', 'T', ['T', 'AT', 'AC']],
    ['A', 'Y', 'P', ['AT', 'AT', 'AC']],
    ['A', 'Y', 'T', ['AT', 'AC', 'AC']],
  ]

const VERSIONS: Partial<Record<PointName, string>> = {
  exploitation: '1.1.0',
  automatable: '2.0.0',
  exposure: '1.0.1',
}
const named = (name: PointName) => `${POINTS[name].id}:${VERSIONS[name] ?? '1.0.0'}`

function writePoint(name: PointName): TablePoint {
  const { id, name: title, values }: DecisionPoint = POINTS[name]
  const [namespace = '', key = ''] = id.split(':')
  return { namespace, key, version: VERSIONS[name] ?? '1.0.0', name: title, values: [...values] }
}

function writePoints(names: readonly PointName[]): Record<string, TablePoint> {
  const outcome = { namespace: 'cisa', key: 'CISA', version: '1.1.0', name: 'CISA Levels' }
  return {
    ...Object.fromEntries(names.map((name) => [named(name), writePoint(name)])),
    [OUTCOME]: { ...outcome, values: [...OUTCOMES] },
  }
}

const LEVELS = POINTS.missionAndWellBeing.values.map(({ key }) => key)

const CISA_MAPPING = CISA_ROWS.flatMap(([exploitation, automatable, impact, outcomes]) =>
  LEVELS.map((level, index) => ({
    [named('exploitation')]: exploitation,
    [named('automatable')]: automatable,
    [named('technicalImpact')]: impact,
    [named('missionAndWellBeing')]: level,
    [OUTCOME]: outcomes[index] ?? '',
  })),
)

const CISA_POINTS = [
  'exploitation',
  'automatable',
  'technicalImpact',
  'missionAndWellBeing',
] as const

export const CISA_TABLE: DecisionTable = {
  namespace: 'cisa',
  key: 'DT_CO',
  version: '2.0.3',
  name: 'CISA',
  definition: 'CISA’s decision table, as CERT/CC publishes it',
  schemaVersion: '2.0.0',
  decision_points: writePoints(CISA_POINTS),
  outcome: OUTCOME,
  mapping: CISA_MAPPING,
}

/** What CISA’s table decides, by its four values. */
const cisaOutcomes = new Map(
  CISA_MAPPING.map((row) => [CISA_POINTS.map((name) => row[named(name)]).join(), row[OUTCOME]]),
)

/**
 * Devices whose exposure is small cannot be reached by an attack that runs by itself, so it counts as not automatable. What many
 * devices run that are open to the outside is at least watched.
 */
function decideForFleet(row: Record<string, string>): string {
  const isSmall = row[named('exposure')] === 'S'
  const values = CISA_POINTS.map((name) =>
    name === 'automatable' && isSmall ? 'N' : (row[named(name)] ?? ''),
  )
  const outcome = cisaOutcomes.get(values.join()) ?? ''
  const isWide = row[named('exposure')] === 'O' && row[named('prevalence')] === 'M'
  return outcome === 'T' && isWide ? 'T*' : outcome
}

function listCombinations(names: readonly PointName[]): Record<string, string>[] {
  const [first, ...rest] = names
  if (first === undefined) return [{}]
  const others = listCombinations(rest)
  return POINTS[first].values.flatMap(({ key }) =>
    others.map((other) => ({ [named(first)]: key, ...other })),
  )
}

const FLEET_POINTS = [...CISA_POINTS, 'exposure', 'prevalence'] as const

export const FLEET_TABLE: DecisionTable = {
  namespace: 'x_plimsoll',
  key: 'DT_FLEET',
  version: '1.0.0',
  name: 'CISA with the fleet',
  definition:
    'CISA’s table. An attack on devices of small exposure counts as not automatable; what many open devices run is at least Track*',
  schemaVersion: '2.0.0',
  decision_points: writePoints(FLEET_POINTS),
  outcome: OUTCOME,
  mapping: listCombinations(FLEET_POINTS).map((row) => ({
    ...row,
    [OUTCOME]: decideForFleet(row),
  })),
}
