/** Reads, tries and replaces the release lines of a firmware, and derives to which one a version belongs. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { startPauses } from '../../../platform/pauses.ts'
import { recordAudit } from '../../audit/index.ts'
import { type Change, getFirmware, lockAndReadFirmware } from '../service.ts'
import { compileLines, readLines, type ReleaseLine } from './lines.ts'
import * as store from './store.ts'

type StatedLines = Parameters<typeof readLines>[0]

interface OfFirmware {
  workspaceId: string
  firmwareId: string
}

const MOST_SHOWN = 100

export async function getLines(db: Db, named: OfFirmware) {
  const { id: firmwareId } = await getFirmware(db, named.workspaceId, named.firmwareId)
  return describeLines(db, { workspaceId: named.workspaceId, firmwareId })
}

async function describeLines(db: Db, of: OfFirmware) {
  const lines = await store.listLines(db, of)
  const versions = await store.listLinedVersions(db, of)
  const byLine = Map.groupBy(versions, ({ lineId }) => lineId)
  return {
    lines: lines.map((line) => ({ ...line, ...describeVersions(byLine.get(line.id)) })),
    withoutLine: describeVersions(byLine.get(null)),
  }
}

/** `versions` are newest first. */
function describeVersions(versions: readonly store.LinedVersion[] = []) {
  const [newest] = versions
  return {
    versionCount: versions.length,
    statedCount: versions.filter(({ statedLineId }) => statedLineId !== null).length,
    newest: newest ? { id: newest.id, name: newest.name } : null,
  }
}

export async function replaceLines(
  ctx: AppContext,
  input: Change & OfFirmware & { lines: StatedLines },
) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const { id: firmwareId } = await lockAndReadFirmware(tx, workspaceId, input.firmwareId)
    const of = { workspaceId, firmwareId }
    input.precondition?.(await describeLines(tx, of))
    const before = await store.listLines(tx, of)
    const after = readLines(input.lines, before, newId)
    const { versions, derived } = await deriveLines(tx, of, after)
    refuseStated(before, after, versions)
    const moved = derived.filter(({ lineId, version }) => lineId !== version.lineId)
    const ended = await store.countDecisions(tx, workspaceId, listGone(before, after))
    await store.replaceLines(tx, of, after)
    await store.moveToLines(
      tx,
      workspaceId,
      moved.map(({ version: { id }, lineId }) => ({ id, lineId })),
    )
    const entry = { workspaceId, actor, resourceType: 'firmware', resourceId: firmwareId }
    await recordAudit(ctx, tx, {
      ...entry,
      action: 'firmware.lines',
      before: { lines: before },
      after: { lines: after, movedVersions: moved.length, endedDecisions: ended },
    })
    return describeLines(tx, of)
  })
}

/** What replacing the lines would change; nothing is written. */
export async function previewLines(
  { db }: Pick<AppContext, 'db'>,
  input: OfFirmware & { lines: StatedLines },
) {
  const { workspaceId } = input
  const { id: firmwareId } = await getFirmware(db, workspaceId, input.firmwareId)
  const of = { workspaceId, firmwareId }
  const before = await store.listLines(db, of)
  const after = readLines(input.lines, before, newId)
  const { versions, derived } = await deriveLines(db, of, after)
  const names = new Map([...before, ...after].map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  const moved = derived.filter(({ lineId, version }) => lineId !== version.lineId)
  const byLine = Map.groupBy(derived, ({ lineId }) => lineId)
  const describe = (id: string | null) =>
    describeVersions((byLine.get(id) ?? []).map(({ version }) => version))
  return {
    versionCount: versions.length,
    movedCount: moved.length,
    matchedTwiceCount: derived.filter(({ isMatchedTwice }) => isMatchedTwice).length,
    lines: after.map(({ id, name }) => ({ name, ...describe(id) })),
    withoutLine: describe(null),
    refusedLines: listStatedAway(before, after, versions),
    endedDecisionCount: await store.countDecisions(db, workspaceId, listGone(before, after)),
    moved: moved
      .slice(0, MOST_SHOWN)
      .map(({ version: { id, name, lineId: from }, lineId: to }) => ({
        firmwareVersion: { id, name },
        from: nameOf(from),
        to: nameOf(to),
      })),
  }
}

/** What somebody stated stays, whatever patterns say. Many names and patterns give way to other work. */
async function deriveLines(db: Db, of: OfFirmware, lines: readonly ReleaseLine[]) {
  const versions = await store.listLinedVersions(db, of)
  const listMatching = compileLines(lines)
  const pause = startPauses()
  const derived = []
  for (const version of versions) {
    await pause()
    const matching = version.statedLineId === null ? listMatching(version.name) : []
    const lineId = version.statedLineId ?? matching[0] ?? null
    derived.push({ version, lineId, isMatchedTwice: matching.length > 1 })
  }
  return { versions, derived }
}

function listGone(before: readonly ReleaseLine[], after: readonly ReleaseLine[]) {
  const kept = new Set(after.map(({ id }) => id))
  return before.filter(({ id }) => !kept.has(id))
}

/** Lines that would go although versions are stated to belong to them. */
function listStatedAway(
  before: readonly ReleaseLine[],
  after: readonly ReleaseLine[],
  versions: readonly store.LinedVersion[],
) {
  return listGone(before, after)
    .map(({ id, name }) => ({
      name,
      statedCount: versions.filter(({ statedLineId }) => statedLineId === id).length,
    }))
    .filter(({ statedCount }) => statedCount > 0)
}

function refuseStated(...given: Parameters<typeof listStatedAway>): void {
  const [stated] = listStatedAway(...given)
  if (!stated) return
  const { name, statedCount } = stated
  throw new AppError(
    'conflict',
    'release-line-stated',
    `${statedCount === 1 ? '1 version is' : `${statedCount} versions are`} stated to belong to the line ${JSON.stringify(name)}, which would go.`,
  )
}

/** The line of a version that is created or changed. The caller has locked the firmware. */
export async function deriveLine(
  tx: Tx,
  of: OfFirmware,
  { name, statedLineId }: { name: string; statedLineId: string | null },
): Promise<string | null> {
  const lines = await store.listLines(tx, of)
  if (statedLineId === null) return compileLines(lines)(name)[0] ?? null
  const stated = lines.find(({ id }) => id === statedLineId.toLowerCase())
  if (!stated) throw invalid('The firmware has no line with this id.', '/statedLineId')
  return stated.id
}
