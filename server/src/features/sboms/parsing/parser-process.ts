/** Runs in a child process with limits: reads, parses, links and identifies SBOMs, and sends rows in batches. */
import { readFileSync } from 'node:fs'
import { splitIntoBatches } from '../../../formats/batches.ts'
import {
  type FindOverride,
  createOverrideFinder,
  listSelectorKeys,
} from '../../../formats/identity.ts'
import { readPlainKeys } from '../../../formats/images/public-keys.ts'
import {
  examineSbom,
  type SbomSignatureFacts,
} from '../../../formats/sbom-signatures/examine-sbom.ts'
import { gradeByAll } from '../../../formats/sbom-profiles/grade.ts'
import type { DeclaredComponent, LinkedSbom } from '../../../formats/sboms/model.ts'
import { parseSboms } from '../../../formats/sboms/parse.ts'
import { SbomError } from '../../../formats/sboms/sbom-error.ts'
import { listComparisonKeys } from '../../../formats/source-paths.ts'
import { serveTasks } from '../../../platform/child-pool.ts'
import { writeIdentityColumns } from './identity-columns.ts'
import {
  type ComponentRow,
  type PackageRow,
  type ParserMessage,
  type ParseTask,
  type SignatureTask,
} from './parser-messages.ts'

const BATCH = 1_000

export async function* parse(task: ParseTask): AsyncGenerator<ParserMessage> {
  let sboms: LinkedSbom[]
  try {
    sboms = parseSboms(
      task.paths.map((path) => readFileSync(path)),
      task.limits,
    )
  } catch (error) {
    if (!(error instanceof SbomError)) throw error
    yield { type: 'failed', message: error.message }
    return
  }
  yield {
    type: 'summary',
    sboms: sboms.map((sbom) => ({
      format: sbom.format,
      specVersion: sbom.specVersion,
      warnings: sbom.warnings,
      componentCount: sbom.components.length,
      hasExternalReferences: sbom.hasExternalReferences,
      namespace: sbom.namespace,
      describedHashes: sbom.describedHashes,
      contentDigest: sbom.contentDigest,
      grades: gradeByAll(sbom),
    })),
  }
  const packages = new Map<string, PackageRow>()
  const findOverride = createOverrideFinder(task.overrides)
  const files = sboms.map(({ components }) =>
    components.map((one) => componentRow(one, packages, findOverride)),
  )
  const sorted = [...packages.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const rows of splitIntoBatches(sorted, BATCH)) yield { type: 'packages', rows }
  for (const [file, sbom] of sboms.entries()) {
    for (const rows of splitIntoBatches(files[file] ?? [], BATCH))
      yield { type: 'components', file, rows }
    yield* otherRows(file, sbom)
  }
}

/** All rows of an SBOM besides its components. */
function* otherRows(
  file: number,
  { nodes: graph, statements, sourceFiles }: LinkedSbom,
): Generator<ParserMessage> {
  for (const rows of splitIntoBatches(graph, BATCH)) yield { type: 'nodes', file, rows }
  for (const rows of splitIntoBatches(statements, BATCH)) yield { type: 'statements', file, rows }
  for (const { nodes, paths } of sourceFiles) {
    const rows = [{ nodes, files: paths, keys: listComparisonKeys(paths) }]
    yield { type: 'sourceFiles', file, rows }
  }
}

/** The row of a component. Adds its package, if it has one, to `packages`. */
function componentRow(
  component: DeclaredComponent,
  packages: Map<string, PackageRow>,
  findOverride: FindOverride,
): ComponentRow {
  const { package: own, ...columns } = writeIdentityColumns(component, findOverride)
  if (own) packages.set(own.id, own)
  return {
    node: component.node,
    vendor: component.vendor ?? null,
    packageName: component.packageName,
    version: component.version ?? null,
    purl: component.purl ?? null,
    cpes: component.cpes,
    licenses: component.licenses,
    hashes: component.hashes,
    supplier: component.supplier ?? null,
    downloadLocation: component.downloadLocation ?? null,
    addresses: component.addresses ?? [],
    scope: component.scope ?? null,
    builtFrom: component.builtFrom ?? null,
    ref: component.ref ?? null,
    selectorKeys: [...listSelectorKeys(component)],
    ...columns,
  }
}

export async function* examineSignatures({
  signatureOf,
  beside,
  ...keys
}: SignatureTask): AsyncGenerator<SbomSignatureFacts> {
  yield await examineSbom(readFileSync(signatureOf), { keys: readPlainKeys(keys), beside })
}

const answer = (task: ParseTask | SignatureTask) =>
  'signatureOf' in task ? examineSignatures(task) : parse(task)

if (process.send) serveTasks((task) => answer(task as ParseTask | SignatureTask))
