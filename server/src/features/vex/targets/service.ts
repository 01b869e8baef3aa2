/** Finds the targets of statements: what they apply to in the present inventory of a firmware version. */
import { formatPurl, makePurl, normalisePurl } from '../../../formats/purl.ts'
import { listHashNames } from '../../../formats/vex/hashes.ts'
import type { VexProduct } from '../../../formats/vex/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { type BuildStatement, findBuildTargets } from './build-statements.ts'
import { type Component, type Inventory, readInventory } from './inventory.ts'
import {
  listArtifactHashes,
  listComponents,
  listNamespaces,
  listPackagePairs,
  listParents,
  type VersionScope,
} from './store.ts'
import { type ParentsOf, type Resolution, resolveProducts, type Target } from './resolve.ts'
import { type StoredStatement, listStatements, replaceTargets, type TargetRow } from '../store.ts'

/** The version's own purl, else `pkg:generic/<slug>@<version>`. */
export function choosePurl(version: {
  name: string
  purl: string | null
  firmware: { slug: string }
}): string {
  if (version.purl !== null) return normalisePurl(version.purl)
  const made = makePurl({ type: 'generic', name: version.firmware.slug, version: version.name })
  return 'purl' in made ? formatPurl(made.purl) : `pkg:generic/${version.firmware.slug}`
}

export interface Resolver {
  resolve: (products: readonly VexProduct[]) => Resolution
  /** The targets of statements in SBOMs, by the id of the statement. */
  resolveBuild: (statements: readonly BuildStatement[]) => Map<string, Target[]>
}

export async function openResolver(db: Db, scope: VersionScope): Promise<Resolver> {
  const { workspaceId, firmwareVersionId } = scope
  const version = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const { firmware, name, cpe } = version
  const row = {
    firmwareSlug: firmware.slug,
    firmwareName: firmware.name,
    name,
    purl: choosePurl(version),
    cpe,
    hashes: await artifactHashes(db, scope),
  }
  const sboms = await listNamespaces(db, scope)
  const components = await listComponents(db, scope)
  const inventory = readInventory(row, sboms, components, await listPackagePairs(db, scope))
  const parentsOf = parentsReader(inventory, await listParents(db, scope))
  const resolve = (products: readonly VexProduct[]) =>
    resolveProducts(products, inventory, parentsOf)
  const packagesOf = (product: VexProduct) =>
    resolve([product]).targets.flatMap(({ packageId }) => packageId ?? [])
  return {
    resolve,
    resolveBuild: (statements) => findBuildTargets(statements, { inventory, packagesOf }),
  }
}

async function artifactHashes(db: Db, scope: VersionScope): Promise<string[]> {
  const artifacts = await listArtifactHashes(db, scope)
  return artifacts.flatMap(listHashNames)
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
  const statements = await findTargets(tx, scope, resolver)
  const rows = statements.flatMap((statement) => statement.rows)
  await replaceTargets(tx, scope, rows)
}

export interface StatementTargets {
  id: string
  rows: TargetRow[]
  /** Its products are in the firmware version, by the names of today. */
  isAccepted: boolean
}

/** What each statement applies to in the present inventory. */
export async function findTargets(
  db: Db,
  scope: VersionScope,
  resolver?: Resolver,
): Promise<StatementTargets[]> {
  const statements = await listStatements(db, scope)
  if (statements.length === 0) return []
  const { resolve, resolveBuild } = resolver ?? (await openResolver(db, scope))
  const inSboms = resolveBuild(statements.flatMap((one) => (isOfBuild(one) ? [one] : [])))
  return statements.map((statement) => {
    const { id, products } = statement
    if (isOfBuild(statement))
      return { id, rows: targetRows(statement, inSboms.get(id) ?? []), isAccepted: true }
    const { targets, isAccepted } = resolve(products)
    return { id, rows: targetRows(statement, targets), isAccepted }
  })
}

/** A statement of an SBOM whose products are no components there is looked up as if it were imported. */
function isOfBuild(statement: StoredStatement): statement is StoredStatement & BuildStatement {
  const { sbomId, nodes, format } = statement
  return sbomId !== null && (nodes !== null || format === 'Build')
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
