/** Lines of builds, which teams look up themselves: their ELF files stay with them. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { normaliseBuildId } from '../../../formats/build-id.ts'
import { cleanName } from '../../../formats/one-line-name.ts'
import { recordAudit } from '../../audit/index.ts'
import { moveStacksOfBuild } from '../groups-service.ts'
import { MOST_ADDRESSES } from './schemas.ts'
import type { SourceLine } from '../stack.ts'
import * as store from './store.ts'

type Reading = Pick<AppContext, 'db' | 'now' | 'signingKey'>

export async function listCrashBuilds(
  ctx: Reading,
  input: PageRequested & { workspaceId: string; state?: 'Open' | 'Resolved' },
) {
  const { workspaceId, state } = input
  const page = openPage(ctx, ['crash-builds', workspaceId, state], input)
  const after = page.after?.[0]
  const rows = await store.listBuilds(ctx.db, {
    workspaceId,
    isOpen: state && state === 'Open',
    limit: page.rowLimit,
    after: after === undefined ? undefined : String(after),
  })
  const cut = page.cut(rows, ({ buildId }) => [buildId])
  return {
    crashBuilds: cut.page.map(({ openCount, ...build }) => ({
      ...build,
      openAddressCount: openCount,
    })),
    ...cut.next,
  }
}

interface OneBuild {
  workspaceId: string
  buildId: string
}

export async function listCrashAddresses(
  db: Db,
  { workspaceId, which = 'Open', ...one }: OneBuild & { which?: 'Open' | 'All' },
) {
  const buildId = normaliseBuildId(one.buildId)
  const build = await store.findBuild(db, workspaceId, buildId)
  if (!build) throw notFound('crash build', buildId)
  const asked = { workspaceId, buildId, isOpen: which === 'Open', limit: MOST_ADDRESSES }
  return { buildId, addresses: await store.listAddresses(db, asked), linesAt: build.linesAt }
}

interface CrashLine {
  address: string
  frames: readonly SourceLine[]
}

const MOST_LINES = 100_000

/** Adds lines and replaces those of the same addresses. Crashes that have names now move to the groups of the names. */
export async function putCrashLines(
  ctx: AppContext,
  input: OneBuild & { lines: readonly CrashLine[]; actor: Actor },
) {
  const { workspaceId, actor } = input
  const buildId = normaliseBuildId(input.buildId)
  const lines = new Map(input.lines.map(cleanLine).map((line) => [line.address, line]))
  return ctx.db.transaction().execute(async (tx) => {
    const at = ctx.now()
    if (!(await store.findBuild(tx, workspaceId, buildId))) throw notFound('crash build', buildId)
    await store.lockBuild(tx, { workspaceId, buildId, at, byEmail: actor.email ?? null })
    await store.upsertLines(tx, { workspaceId, buildId }, [...lines.values()])
    const lineCount = await store.countLines(tx, workspaceId, buildId)
    if (lineCount > MOST_LINES)
      throw new AppError(
        'conflict',
        'too-many-crash-lines',
        `A build has lines of at most ${MOST_LINES.toLocaleString('en')} addresses. Send those that GET …/addresses lists.`,
      )
    const movedCount = await moveStacksOfBuild(tx, { workspaceId, at }, buildId)
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'crash-build.put-lines',
      resourceType: 'crash-build',
      resourceId: buildId,
      after: { lineCount: lines.size, movedCount },
    })
    const open = { workspaceId, buildId, isOpen: true, limit: MOST_ADDRESSES }
    const openAddressCount = (await store.listAddresses(tx, open)).length
    return { buildId, lineCount, openAddressCount, movedCount }
  })
}

function cleanLine({ address, frames }: CrashLine): CrashLine {
  return {
    address: `0x${BigInt(address).toString(16)}`,
    frames: frames.map((frame) => ({
      function: frame.function === null ? null : cleanName(frame.function),
      file: frame.file === null ? null : cleanName(frame.file),
      line: frame.line,
    })),
  }
}

/** Takes all lines of a build back, such as those of a wrong file. */
export async function deleteCrashLines(
  ctx: AppContext,
  { workspaceId, actor, ...one }: OneBuild & { actor: Actor },
): Promise<void> {
  const buildId = normaliseBuildId(one.buildId)
  await ctx.db.transaction().execute(async (tx) => {
    const at = ctx.now()
    if (!(await store.findBuild(tx, workspaceId, buildId))) throw notFound('crash build', buildId)
    await store.lockBuild(tx, { workspaceId, buildId, at, byEmail: actor.email ?? null })
    const lineCount = await store.countLines(tx, workspaceId, buildId)
    await store.deleteLines(tx, { workspaceId, buildId })
    await moveStacksOfBuild(tx, { workspaceId, at }, buildId)
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'crash-build.delete-lines',
      resourceType: 'crash-build',
      resourceId: buildId,
      before: { lineCount },
    })
  })
}
