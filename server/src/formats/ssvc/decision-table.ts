/**
 * Decision tables in the form that CERT/CC publishes (data/schema/v2/Decision_Table-2-0-0.schema.json): the decision points, which
 * of them is the outcome, and a row for each combination of the others. A table may ask for what another one decides.
 */
import { type KnownInputs, type PointName, POINTS, POINTS_BY_ID, readPoint } from './points.ts'

export interface TablePoint {
  namespace: string
  key: string
  version: string
  name: string
  definition?: string
  values: { key: string; name: string; definition?: string }[]
}

/** The document, as checked by its schema. */
export interface DecisionTable {
  namespace: string
  key: string
  version: string
  name: string
  definition?: string
  schemaVersion?: string
  /** By `namespace:key:version`. */
  decision_points: Record<string, TablePoint>
  outcome: string
  mapping: Record<string, string>[]
}

interface Outcome {
  key: string
  name: string
}

export interface DecisionTree {
  name: string
  version: string
  /** From the least to the most urgent. */
  outcomes: Outcome[]
  /** The points of the product that the tables ask for. */
  asked: PointName[]
  /** Number of the outcome. */
  decide: (inputs: KnownInputs) => number
}

interface TableFault {
  /** JSON pointer into the array of tables. */
  path: string
  reason: string
}

const MOST_OUTCOMES = 10
/** So many combinations a table may have. */
const MOST_ROWS = 20_000
const MOST_SHOWN = 3

type Read = { ok: true; tree: DecisionTree } | { ok: false; fault: TableFault }

interface Decider {
  asked: Set<PointName>
  /** Index of the value of the outcome. */
  decide: (inputs: KnownInputs) => number
}

interface Compiling {
  tables: readonly DecisionTable[]
  /** Which table decides a point, by `namespace:key`. */
  deciding: ReadonlyMap<string, number>
  /** The tables on the way here: one of them again is a cycle. */
  way: readonly number[]
}

/** The first table decides; the others decide points that it or one of them asks for. */
export function readDecisionTree(tables: readonly DecisionTable[]): Read {
  const [main] = tables
  if (main === undefined) return { ok: false, fault: { path: '', reason: 'names no table' } }
  try {
    const deciding = findDeciding(tables)
    const { asked, decide } = compileTable({ tables, deciding, way: [] }, 0)
    const outcomes = outcomeOf(main, '/0').values.map(({ key, name }) => ({ key, name }))
    if (outcomes.length < 2 || outcomes.length > MOST_OUTCOMES)
      throw new Refused(
        '/0/outcome',
        `has ${outcomes.length} values; 2 to ${MOST_OUTCOMES} are possible`,
      )
    const { name, version } = main
    return { ok: true, tree: { name, version, outcomes, asked: [...asked], decide } }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, fault: error.fault }
    throw error
  }
}

class Refused extends Error {
  readonly fault: TableFault
  constructor(path: string, reason: string) {
    super(reason)
    this.fault = { path, reason }
  }
}

const idOf = ({ namespace, key }: Pick<TablePoint, 'namespace' | 'key'>) => `${namespace}:${key}`

function outcomeOf(table: DecisionTable, path: string): TablePoint {
  const found = table.decision_points[table.outcome]
  if (!found)
    throw new Refused(
      `${path}/outcome`,
      `${JSON.stringify(table.outcome)} is none of the decision_points`,
    )
  return found
}

function findDeciding(tables: readonly DecisionTable[]): Map<string, number> {
  const deciding = new Map<string, number>()
  for (const [index, table] of tables.entries()) {
    const id = idOf(outcomeOf(table, `/${index}`))
    const other = deciding.get(id)
    if (other !== undefined)
      throw new Refused(`/${index}/outcome`, `${id} is decided by table ${other + 1} already`)
    deciding.set(id, index)
  }
  return deciding
}

interface Column {
  /** As rows of the mapping call it. */
  name: string
  values: readonly string[]
  /** Index of the value. */
  read: (inputs: KnownInputs) => number
}

function compileTable(compiling: Compiling, index: number): Decider {
  const { tables, way } = compiling
  const table = tables[index]
  const path = `/${index}`
  if (!table) throw new Error('a table decides what is asked for')
  if (way.includes(index)) {
    const names = [...way.slice(way.indexOf(index)), index].map((one) => tables[one]?.name ?? '')
    throw new Refused(path, `asks for its own outcome: ${names.join(' → ')}`)
  }
  const asked = new Set<PointName>()
  const columns = Object.entries(table.decision_points)
    .filter(([name]) => name !== table.outcome)
    .map(([name, point]) =>
      compileColumn({ ...compiling, way: [...way, index] }, { name, point, path, asked }),
    )
  const decided = readMapping(table, columns, path)
  return {
    asked,
    decide: (inputs) =>
      decided[
        placeOf(
          columns.map((column) => column.read(inputs)),
          columns,
        )
      ] ?? 0,
  }
}

interface Asking {
  name: string
  point: TablePoint
  path: string
  asked: Set<PointName>
}

/** A point is decided by another table, or the product has a value for it. */
function compileColumn(compiling: Compiling, { name, point, path, asked }: Asking): Column {
  const place = `${path}/decision_points/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const id = idOf(point)
  const values = point.values.map(({ key }) => key)
  if (new Set(values).size < values.length) throw new Refused(place, 'has a value twice')
  const other = compiling.deciding.get(id)
  const [keys, decide] =
    other === undefined ? ofProduct(id, place, asked) : ofTable(compiling, other, asked)
  const places = keys.map((key) => values.indexOf(key))
  const missing = keys.find((_, index) => places[index] === -1)
  if (missing !== undefined)
    throw new Refused(place, `lacks the value ${JSON.stringify(missing)} that ${id} can have`)
  return { name, values, read: (inputs) => places[decide(inputs)] ?? 0 }
}

type Source = [keys: readonly string[], decide: (inputs: KnownInputs) => number]

function ofTable(compiling: Compiling, index: number, asked: Set<PointName>): Source {
  const decider = compileTable(compiling, index)
  for (const name of decider.asked) asked.add(name)
  const table = compiling.tables[index]
  const keys = table ? outcomeOf(table, `/${index}`).values.map(({ key }) => key) : []
  return [keys, (inputs) => decider.decide(inputs)]
}

function ofProduct(id: string, place: string, asked: Set<PointName>): Source {
  const name = POINTS_BY_ID.get(id)
  if (name === undefined)
    throw new Refused(
      place,
      `there are no values for ${id}: neither does another table decide it, nor is it one of ${[...POINTS_BY_ID.keys()].join(', ')}`,
    )
  asked.add(name)
  const keys = POINTS[name].values.map(({ key }) => key)
  return [keys, (inputs) => keys.indexOf(readPoint(name, inputs))]
}

/** A combination is a number whose digits are the places of its values. */
const placeOf = (digits: readonly number[], columns: readonly Column[]) =>
  digits.reduce((place, digit, index) => place * (columns[index]?.values.length ?? 1) + digit, 0)

function readMapping(table: DecisionTable, columns: readonly Column[], path: string): number[] {
  const size = columns.reduce((product, { values }) => product * values.length, 1)
  if (size > MOST_ROWS)
    throw new Refused(path, `has ${size} combinations; at most ${MOST_ROWS} are possible`)
  const outcomes = outcomeOf(table, path).values.map(({ key }) => key)
  const decided = Array.from({ length: size }, () => -1)
  for (const [index, row] of table.mapping.entries()) {
    const at = `${path}/mapping/${index}`
    const place = placeOf(
      columns.map(({ name, values }) => readValue(row, { name, values, at })),
      columns,
    )
    const outcome = readValue(row, { name: table.outcome, values: outcomes, at })
    if (decided[place] !== -1 && decided[place] !== outcome)
      throw new Refused(at, 'decides a combination otherwise that an earlier row decides')
    decided[place] = outcome
  }
  refuseMissing(decided, columns, path)
  return decided
}

function readValue(
  row: Record<string, string>,
  { name, values, at }: { name: string; values: readonly string[]; at: string },
): number {
  const given = row[name]
  const place = given === undefined ? -1 : values.indexOf(given)
  if (place >= 0) return place
  throw new Refused(
    at,
    given === undefined
      ? `has no value for ${name}`
      : `${JSON.stringify(given)} is no value of ${name}: ${values.join(', ')}`,
  )
}

function refuseMissing(decided: readonly number[], columns: readonly Column[], path: string): void {
  const missing = [...decided.keys()].filter((place) => decided[place] === -1)
  if (missing.length === 0) return
  const shown = missing.slice(0, MOST_SHOWN).map((place) => describePlace(place, columns))
  const more = missing.length > MOST_SHOWN ? ', …' : ''
  throw new Refused(
    `${path}/mapping`,
    `decides ${decided.length - missing.length} of ${decided.length} combinations. These are missing: ${shown.join('; ')}${more}`,
  )
}

function describePlace(place: number, columns: readonly Column[]): string {
  let rest = place
  const words: string[] = []
  for (const { name, values } of columns.toReversed()) {
    words.push(`${name} ${values[rest % values.length]}`)
    rest = Math.floor(rest / values.length)
  }
  return words.toReversed().join(', ')
}
