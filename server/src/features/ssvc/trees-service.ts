/** The trees that a workspace can choose from. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { CISA_TABLE, FLEET_TABLE } from '../../formats/ssvc/built-in-tables.ts'
import { decideAll, type Decisions } from '../../formats/ssvc/classes.ts'
import {
  type DecisionTable,
  type DecisionTree,
  readDecisionTree,
} from '../../formats/ssvc/decision-table.ts'
import { POINTS } from '../../formats/ssvc/points.ts'
import { recordAudit } from '../audit/index.ts'
import * as store from './store.ts'

const BUILT_IN = new Map<string, readonly DecisionTable[]>([
  ['Fleet', [FLEET_TABLE]],
  ['Cisa', [CISA_TABLE]],
])
const MOST_TREES = 100

/** A tree with all that it decides. */
export interface DecidingTree {
  id: string
  tree: DecisionTree
  decisions: Decisions
}

/** Deciding all takes some 20 ms, and trees never change. */
const MOST_KEPT = 200
const kept = new Map<string, DecidingTree>()

function readStored(tables: readonly DecisionTable[]): DecisionTree {
  const read = readDecisionTree(tables)
  if (!read.ok) throw new Error(`a stored tree is refused: ${read.fault.path} ${read.fault.reason}`)
  return read.tree
}

function decideFor(key: string, id: string, tables: readonly DecisionTable[]): DecidingTree {
  const known = kept.get(key)
  if (known) return known
  const tree = readStored(tables)
  const deciding = { id, tree, decisions: decideAll(tree) }
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, deciding)
  return deciding
}

const ofWorkspace = (workspaceId: string, id: string) => `${workspaceId} ${id}`

async function findDecidingTree(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<DecidingTree | undefined> {
  const builtIn = BUILT_IN.get(id)
  if (builtIn) return decideFor(id, id, builtIn)
  const known = kept.get(ofWorkspace(workspaceId, id))
  if (known) return known
  const row = /^[1-9]\d{0,8}$/.test(id)
    ? await store.findTree(db, workspaceId, Number(id))
    : undefined
  return row && decideFor(ofWorkspace(workspaceId, id), id, row.tables)
}

export async function requireTree(db: Db, workspaceId: string, id: string): Promise<DecidingTree> {
  const found = await findDecidingTree(db, workspaceId, id)
  if (found) return found
  throw invalid(`There is no tree ${JSON.stringify(id)}. GET …/ssvc/trees lists them.`, '/tree')
}

export async function listTrees({ db }: Pick<AppContext, 'db'>, workspaceId: string) {
  const builtIn = [...BUILT_IN].map(([id, tables]) => describeOne({ id, tree: readStored(tables) }))
  const rows = await store.listTrees(db, workspaceId)
  return {
    trees: [
      ...builtIn,
      ...rows.map(({ number, tables, ...added }) => {
        const id = String(number)
        return { ...describeOne({ id, tree: readStored(tables) }), ...added }
      }),
    ],
  }
}

const describeOne = ({ id, tree }: Pick<DecidingTree, 'id' | 'tree'>) => ({
  id,
  name: tree.name,
  version: tree.version,
  outcomes: tree.outcomes.map(({ name }) => name),
  asks: tree.asked.map((name) => POINTS[name].name),
  addedAt: null as Date | null,
  addedBy: null as string | null,
})

export async function getTree(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, ssvcTreeId: id }: { workspaceId: string; ssvcTreeId: string },
) {
  const deciding = await findDecidingTree(db, workspaceId, id)
  if (!deciding) throw notFound('SSVC tree', id)
  const builtIn = BUILT_IN.get(id)
  if (builtIn) return { ...describeOne(deciding), tables: [...builtIn] }
  const row = await store.findTree(db, workspaceId, Number(id))
  if (!row) throw notFound('SSVC tree', id)
  const { number: _, ...added } = row
  return { ...describeOne(deciding), ...added }
}

/** Where in the tables a fault is, for whoever reads them: by the pointer of the fault. */
function describePlace(tables: readonly DecisionTable[], path: string): string {
  const [, index = '0', part, name = ''] = path.split('/')
  const table = `table ${Number(index) + 1} ${JSON.stringify(tables[Number(index)]?.name ?? '')}`
  if (part === 'outcome') return `The outcome of ${table}`
  if (part === 'decision_points')
    return `The decision point ${name.replaceAll('~1', '/').replaceAll('~0', '~')} of ${table}`
  if (part === 'mapping' && name !== '') return `Row ${Number(name) + 1} of ${table}`
  return part === 'mapping' ? `The mapping of ${table}` : `T${table.slice(1)}`
}

/** The tree does not hold yet. */
export async function addTree(
  ctx: AppContext,
  { workspaceId, tables, actor }: { workspaceId: string; tables: DecisionTable[]; actor: Actor },
) {
  const read = readDecisionTree(tables)
  if (!read.ok) {
    const { path, reason } = read.fault
    throw invalid(`${describePlace(tables, path)} ${reason}.`, `/tables${path}`)
  }
  const names = read.tree.outcomes.map(({ name }) => name)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw invalid('Two outcomes have the same name.', '/tables/0/outcome')
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockSettings(tx, workspaceId)
    const rows = await store.listTrees(tx, workspaceId)
    if (rows.length >= MOST_TREES)
      throw new AppError(
        'conflict',
        'too-many-ssvc-trees',
        `The workspace has ${MOST_TREES} trees; more are not taken.`,
      )
    const number = (rows.at(-1)?.number ?? 0) + 1
    const row = { number, tables, addedAt: ctx.now(), addedBy: actor.email ?? null }
    await store.insertTree(tx, workspaceId, row)
    const { name, version } = read.tree
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'ssvc.add-tree',
      resourceType: 'workspace',
      resourceId: workspaceId,
      after: { tree: String(number), name, version },
    })
    return {
      ...describeOne({ id: String(number), tree: read.tree }),
      ...pickAdded(row),
    }
  })
}

const pickAdded = ({ addedAt, addedBy }: store.TreeRow) => ({ addedAt, addedBy })
