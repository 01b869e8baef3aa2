/** What a case is about: product lines, and versions that people name. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { act, type ActOnCase, refuse, requireNotEnded } from './acts-service.ts'
import { isSameName, readLines } from './service.ts'
import * as store from './store.ts'
import * as versions from './versions-store.ts'

/** More lines of the same manufacturer. A case without one takes theirs. */
export function addProductLines(ctx: AppContext, input: ActOnCase & { productLineIds: string[] }) {
  const { workspaceId, productLineIds } = input
  return act(ctx, input, async ({ tx, row, standing }) => {
    requireNotEnded(standing)
    const { manufacturer, names } = await readLines(tx, { workspaceId, productLineIds })
    const of = { workspaceId, caseId: row.id }
    if (row.manufacturer === '') await takeManufacturer(tx, { ...of, row, manufacturer })
    else if (!isSameName(row.manufacturer, manufacturer))
      throw refuse(
        'other-manufacturer',
        `The case is about products of ${row.manufacturer}, and the line is of ${manufacturer}.`,
      )
    await store.addLines(tx, { ...of, lineIds: productLineIds })
    return { kind: 'LinesAdded', action: 'case.add-lines', detail: { names } }
  })
}

async function takeManufacturer(
  tx: Tx,
  { row, ...of }: { workspaceId: string; caseId: string; manufacturer: string; row: store.CaseRow },
): Promise<void> {
  const { vulnerabilityId, isDrill } = row
  if (vulnerabilityId !== null && !isDrill) {
    const named = { vulnerabilityId, manufacturer: of.manufacturer }
    const other = await store.findCaseOf(tx, of.workspaceId, named)
    if (other)
      throw refuse(
        'case-exists',
        `${vulnerabilityId} has the case ${other.id} (${other.title}) for this manufacturer.`,
      )
  }
  await store.updateManufacturer(tx, of)
}

/** The line stays out, also where the case has its firmware. */
export function removeProductLine(
  ctx: AppContext,
  input: ActOnCase & { productLineId: string; reason: string },
) {
  const { workspaceId, productLineId, reason } = input
  return act(ctx, input, async ({ tx, row, standing }) => {
    requireNotEnded(standing)
    const line = row.lines.find(({ id }) => id === productLineId)
    if (!line) throw notFound('product line', productLineId)
    await store.removeLine(tx, { workspaceId, caseId: row.id, lineId: line.id })
    const detail = { names: [line.name], lineId: line.id }
    return { kind: 'LinesRemoved', action: 'case.remove-line', text: reason, detail }
  })
}

/** Versions without a finding, such as those of an incident. */
export function addNamedVersions(
  ctx: AppContext,
  input: ActOnCase & { firmwareVersionIds: string[] },
) {
  const { workspaceId, firmwareVersionIds } = input
  return act(ctx, input, async ({ tx, row, standing }) => {
    requireNotEnded(standing)
    const of = { workspaceId, caseId: row.id, firmwareVersionIds, at: ctx.now() }
    const names = await nameVersions(tx, of)
    return names.length === 0
      ? undefined
      : { kind: 'VersionsFound', action: 'case.add-versions', detail: { names } }
  })
}

interface NamedVersions {
  workspaceId: string
  caseId: string
  firmwareVersionIds: readonly string[]
  at: Date
}

/** The names of those that the case did not have. */
export async function nameVersions(
  tx: Tx,
  { workspaceId, caseId, firmwareVersionIds, at }: NamedVersions,
): Promise<string[]> {
  const found = await versions.listNamedVersions(tx, workspaceId, { caseId, firmwareVersionIds })
  const missing = firmwareVersionIds.findIndex(
    (id) => !found.some(({ firmwareVersionId }) => firmwareVersionId === id),
  )
  if (missing >= 0)
    throw invalid(
      `No firmware version has the id ${firmwareVersionIds[missing] ?? ''}.`,
      `/firmwareVersionIds/${missing}`,
    )
  const added = found.filter(({ isKnown }) => !isKnown)
  await store.addVersions(tx, { workspaceId, caseId, versions: added, at })
  return added.map(({ firmwareName, versionName }) => `${firmwareName} ${versionName}`)
}
