/** Finds the targets of statements: what they apply to in the present inventory of a firmware version. */
import { makePurl, formatPurl } from '../../../formats/purl.ts'
import type { VexProduct } from '../../../formats/vex/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { type Component, type Inventory, readInventory } from './inventory.ts'
import {
  listComponents,
  listNamespaces,
  listPackagePairs,
  listParents,
  type VersionScope,
} from './store.ts'
import { type ParentsOf, type Resolution, resolveProducts, type Target } from './resolve.ts'
import { type StoredStatement, listStatements, replaceTargets, type TargetRow } from '../store.ts'

/** The version's own purl, else `pkg:generic/<slug>@<version>`. */
export function versionPurl(version: {
  name: string
  purl: string | null
  firmware: { slug: string }
}): string {
  if (version.purl !== null) return version.purl
  const made = makePurl({ type: 'generic', name: version.firmware.slug, version: version.name })
  return 'purl' in made ? formatPurl(made.purl) : `pkg:generic/${version.firmware.slug}`
}

export interface Resolver {
  resolve: (products: readonly VexProduct[]) => Resolution
  targetsOfNodes: (sbomId: string, nodes: readonly number[]) => Target[]
}

export async function openResolver(db: Db, scope: VersionScope): Promise<Resolver> {
  const { workspaceId, firmwareVersionId } = scope
  const version = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const { firmware, name, cpe } = version
  const row = {
    firmwareSlug: firmware.slug,
    firmwareName: firmware.name,
    name,
    purl: versionPurl(version),
    cpe,
  }
  const sboms = await listNamespaces(db, scope)
  const components = await listComponents(db, scope)
  const inventory = readInventory(row, sboms, components, await listPackagePairs(db, scope))
  const parentsOf = parentsReader(inventory, await listParents(db, scope))
  const byNode = new Map(inventory.components.map((one) => [`${one.sbomId} ${one.node}`, one]))
  return {
    resolve: (products) => resolveProducts(products, inventory, parentsOf),
    targetsOfNodes: (sbomId, nodes) => {
      const ids = nodes.flatMap((node) => byNode.get(`${sbomId} ${node}`)?.packageId ?? [])
      return [...new Set(ids)].toSorted().map((packageId) => ({ packageId }))
    },
  }
}

function parentsReader(
  { components }: Inventory,
  rows: readonly { sbomId: string; node: number; parents: number[] }[],
): ParentsOf {
  const byNode = new Map(components.map((one) => [`${one.sbomId} ${one.node}`, one]))
  const parents = new Map(rows.map((row) => [`${row.sbomId} ${row.node}`, row.parents]))
  return ({ sbomId, node }: Component) =>
    (parents.get(`${sbomId} ${node}`) ?? []).flatMap(
      (parent) => byNode.get(`${sbomId} ${parent}`) ?? [],
    )
}

/** To be called after a change of the inventory or the statements, with the firmware version locked. */
export async function retargetStatements(
  tx: Tx,
  scope: VersionScope,
  resolver?: Resolver,
): Promise<void> {
  const statements = await listStatements(tx, scope)
  const { resolve, targetsOfNodes } =
    resolver ?? (statements.length === 0 ? NOTHING : await openResolver(tx, scope))
  const rows = statements.flatMap((statement) => {
    const { sbomId, nodes, isWhole, products } = statement
    const isInSbom = sbomId !== null && nodes !== null
    const named = isInSbom ? targetsOfNodes(sbomId, nodes) : resolve(products).targets
    return targetRows(statement, isInSbom && isWhole ? [{ sbomId }, ...named] : named)
  })
  await replaceTargets(tx, scope, rows)
}

const NOTHING: Resolver = {
  resolve: () => ({ targets: [], unmatched: [], isAccepted: false }),
  targetsOfNodes: () => [],
}

/** Longer than any id of a vulnerability; the index on targets limits the length. */
const MOST_CHARACTERS = 150

/** Ignores the aliases of a CVE: a statement about one CVE must not apply to another. */
function targetRows(
  { id, vulnerability, aliases }: StoredStatement,
  targets: readonly Target[],
): TargetRow[] {
  const names = vulnerability.startsWith('CVE-') ? [vulnerability] : [vulnerability, ...aliases]
  const possible = names.filter((name) => name.length <= MOST_CHARACTERS)
  return [...new Set(possible)].flatMap((name) =>
    targets.map(({ packageId = null, sbomId = null }, place) => ({
      statementId: id,
      vulnerability: name,
      place,
      packageId,
      sbomId,
    })),
  )
}
