/**
 * Applicability statements of NVD (API 2.0 `configurations`) and of CVE records (`cpeApplicability`): CPE match criteria
 * in nodes joined by AND or OR, as statements about each product.
 */
import type { AffectedStatement } from './model.ts'
import { parseCriterion, type Criterion } from './criteria.ts'
import { findProductScheme } from './product-facts.ts'
import { fault, flagAt, readObjects, readText, type JsonObject } from './record-reader.ts'
import { compactStatements } from './criteria-statements.ts'

interface Node {
  isAnd: boolean
  isNegated: boolean
  criteria: Criterion[]
}

/** By key, in the order of the record. */
export type StatementsByKey = Map<string, AffectedStatement[]>

export function readConfigurations(of: JsonObject, field: string, at: string): StatementsByKey {
  const statements: StatementsByKey = new Map()
  for (const [index, configuration] of readObjects(of, field, at).entries()) {
    const path = `${at}/${field}/${index}`
    const isAnd = operatorAt(configuration, path) === 'AND'
    const isNegated = flagAt(configuration, 'negate', path)
    const nodes = readObjects(configuration, 'nodes', path).map((node, position) =>
      readNode(node, `${path}/nodes/${position}`),
    )
    if (isAnd) addConjunction(statements, nodes, isNegated)
    else for (const node of nodes) addConjunction(statements, [node], isNegated)
  }
  return statements
}

function readNode(node: JsonObject, at: string): Node {
  return {
    isAnd: operatorAt(node, at) === 'AND',
    isNegated: flagAt(node, 'negate', at),
    criteria: readObjects(node, 'cpeMatch', at).flatMap((match, index) => {
      const criterion = readCriterion(match, `${at}/cpeMatch/${index}`)
      return criterion ? [criterion] : []
    }),
  }
}

function readCriterion(match: JsonObject, at: string): Criterion | undefined {
  const text = readText(match, 'criteria', at)
  if (text === undefined) throw fault(`${at}/criteria`, 'is missing')
  return parseCriterion(text, flagAt(match, 'vulnerable', at), {
    startIncluding: readText(match, 'versionStartIncluding', at),
    startExcluding: readText(match, 'versionStartExcluding', at),
    endIncluding: readText(match, 'versionEndIncluding', at),
    endExcluding: readText(match, 'versionEndExcluding', at),
  })
}

/** OR is the default, as in NVD's configurations. */
function operatorAt(of: JsonObject, at: string): 'AND' | 'OR' {
  const operator = readText(of, 'operator', at) ?? 'OR'
  if (operator !== 'AND' && operator !== 'OR')
    throw fault(`${at}/operator`, 'is neither AND nor OR')
  return operator
}

/** All nodes must hold: the other nodes are the platforms on which the vulnerable product must run. */
function addConjunction(statements: StatementsByKey, nodes: Node[], isNegated: boolean): void {
  const isUndecidable = isNegated || nodes.some((node) => node.isNegated)
  const conditions = nodes.map(listConditions)
  for (const [index, node] of nodes.entries()) {
    const others = conditions.flatMap((names, other) => (other === index ? [] : names))
    if (node.isAnd) addAndNode(statements, node, others, isUndecidable)
    else addCriteria(statements, node.criteria, others, isUndecidable)
  }
}

function addAndNode(
  statements: StatementsByKey,
  node: Node,
  others: string[][],
  isUndecidable: boolean,
): void {
  for (const criterion of node.criteria) {
    const siblings = node.criteria.filter((other) => other !== criterion)
    const platforms = [...others, ...listConditions({ ...node, criteria: siblings })]
    addCriteria(statements, [criterion], platforms, isUndecidable)
  }
}

function listConditions({ isAnd, criteria }: Node): string[][] {
  const names = criteria.map((criterion) => criterion.text)
  if (names.length === 0) return []
  if (isAnd) return names.map((name) => [name])
  const hardware = criteria.filter((criterion) => criterion.part === 'h')
  if (hardware.length === 0) return [[...new Set(names)]]
  // Any hardware meets the node, so a few of a chip vendor's hundreds of names suffice.
  return [[...new Set(hardware.slice(0, MAX_HARDWARE).map((criterion) => criterion.text))]]
}

const MAX_HARDWARE = 4

function addCriteria(
  statements: StatementsByKey,
  criteria: Criterion[],
  platforms: string[][],
  isUndecidable: boolean,
): void {
  for (const [key, group] of Map.groupBy(
    criteria.filter((criterion) => criterion.isVulnerable),
    (criterion) => criterion.key,
  )) {
    const [first] = group
    if (first === undefined) continue
    const statement: AffectedStatement = {
      scheme: findProductScheme(first.vendor, first.product) ?? 'generic',
      defaultStatus: isUndecidable ? 'unknown' : 'unaffected',
      versions: compactStatements(group),
      vendor: first.vendor,
      packageName: first.product,
    }
    if (platforms.length > 0) statement.platforms = platforms
    if (isUndecidable) statement.undecidable = 'a negated configuration'
    const known = statements.get(key)
    if (known === undefined) statements.set(key, [statement])
    else known.push(statement)
  }
}
