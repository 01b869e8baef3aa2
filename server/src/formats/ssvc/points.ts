/**
 * The decision points of SSVC that the product has values for, each with its values from the least to the most urgent. Names and keys are
 * those of CERT/CC's registry (github.com/CERTCC/SSVC, data/json/decision_points); `x_plimsoll:PREV` is the product's own.
 */

interface PointValue {
  key: string
  name: string
}

export interface DecisionPoint {
  /** Namespace and key, without the version: `ssvc:E`. */
  id: string
  name: string
  values: readonly PointValue[]
}

const NO_YES = [
  { key: 'N', name: 'No' },
  { key: 'Y', name: 'Yes' },
]

const point = (id: string, name: string, values: readonly PointValue[]): DecisionPoint => ({
  id,
  name,
  values,
})

export const POINTS = {
  exploitation: point('ssvc:E', 'Exploitation', [
    { key: 'N', name: 'None' },
    { key: 'P', name: 'Public PoC' },
    { key: 'A', name: 'Active' },
  ]),
  automatable: point('ssvc:A', 'Automatable', NO_YES),
  technicalImpact: point('ssvc:TI', 'Technical Impact', [
    { key: 'P', name: 'Partial' },
    { key: 'T', name: 'Total' },
  ]),
  missionPrevalence: point('cisa:MP', 'Mission Prevalence', [
    { key: 'M', name: 'Minimal' },
    { key: 'S', name: 'Support' },
    { key: 'E', name: 'Essential' },
  ]),
  publicWellBeing: point('ssvc:PWI', 'Public Well-Being Impact', [
    { key: 'M', name: 'Minimal' },
    { key: 'MA', name: 'Material' },
    { key: 'I', name: 'Irreversible' },
  ]),
  missionAndWellBeing: point('ssvc:MWI', 'Mission and Well-Being Impact', [
    { key: 'L', name: 'Low' },
    { key: 'M', name: 'Medium' },
    { key: 'H', name: 'High' },
  ]),
  exposure: point('ssvc:EXP', 'System Exposure', [
    { key: 'S', name: 'Small' },
    { key: 'C', name: 'Controlled' },
    { key: 'O', name: 'Open' },
  ]),
  publiclyExposed: point('cisa:PE', 'Publicly Exposed', NO_YES),
  listedAsExploited: point('cisa:KEV', 'In KEV', NO_YES),
  prevalence: point('x_plimsoll:PREV', 'Prevalence in the Fleet', [
    { key: 'N', name: 'None' },
    { key: 'F', name: 'Few' },
    { key: 'M', name: 'Many' },
  ]),
} as const satisfies Record<string, DecisionPoint>

export type PointName = keyof typeof POINTS

export const POINTS_BY_ID: ReadonlyMap<string, PointName> = new Map(
  (Object.keys(POINTS) as PointName[]).map((name) => [POINTS[name].id, name]),
)

/** What is known of a vulnerability: the keys of values; undefined: no source says it. */
export interface VulnerabilityInputs {
  exploitation: string | undefined
  automatable: string | undefined
  technicalImpact: string | undefined
  /** A public list of exploited vulnerabilities names it, whatever the record says. */
  isListed: boolean
}

/** What is known of a firmware version: the keys of values; undefined: nobody stated it. */
export interface ProductInputs {
  missionPrevalence: string | undefined
  publicWellBeing: string | undefined
  /** The worst of the cohorts whose devices run it. */
  exposure: string | undefined
  prevalence: string
}

/** All is known. */
export type KnownInputs = {
  [Name in keyof VulnerabilityInputs | keyof ProductInputs]: Name extends 'isListed'
    ? boolean
    : string
}

/**
 * Mission and well-being as CISA's guide combines them: high if the mission needs it or harm cannot be undone, low if neither
 * matters, else medium.
 */
function combineMission({ missionPrevalence, publicWellBeing }: KnownInputs): string {
  if (missionPrevalence === 'E' || publicWellBeing === 'I') return 'H'
  return missionPrevalence === 'M' && publicWellBeing === 'M' ? 'L' : 'M'
}

const READ_OTHERWISE: Partial<Record<PointName, (inputs: KnownInputs) => string>> = {
  exploitation: ({ isListed, exploitation }) => (isListed ? 'A' : exploitation),
  missionAndWellBeing: combineMission,
  publiclyExposed: ({ exposure }) => (exposure === 'O' ? 'Y' : 'N'),
  listedAsExploited: ({ isListed }) => (isListed ? 'Y' : 'N'),
}

/** The value of a point. */
export const readPoint = (name: PointName, inputs: KnownInputs): string =>
  READ_OTHERWISE[name]?.(inputs) ?? String(inputs[name as keyof KnownInputs])
