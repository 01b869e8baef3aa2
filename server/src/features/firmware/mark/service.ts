import type { AppContext } from '../../../platform/context.ts'
import { listSupportNotes } from '../support-period/store.ts'
import { type Mark, type MarkFacts, decideMark, listMarkReasons } from './mark.ts'
import * as store from './store.ts'

/** The gate asks for more than counters, which higher slices know. */
export type MarkReader = Pick<AppContext, 'db' | 'now' | 'reactions'>

/** The marks of these firmware versions, one per id. */
export async function listMarks(
  ctx: MarkReader,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<Map<string, Mark>> {
  const ids = [...new Set(firmwareVersionIds)]
  const facts = await listMarkFacts(ctx, workspaceId, ids)
  return new Map(facts.map((each, index) => [ids[index] ?? '', decideMark(each)]))
}

/** Reads the mark, and what each rule of the gate says. */
export async function readMark(ctx: MarkReader, workspaceId: string, firmwareVersionId: string) {
  const [facts] = await listMarkFacts(ctx, workspaceId, [firmwareVersionId])
  if (!facts) throw new Error('The mark of one version was asked for.')
  return { ...decideMark(facts), reasons: listMarkReasons(facts) }
}

/** Answers one entry per id, in the order of the ids. */
async function listMarkFacts(
  ctx: MarkReader,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<MarkFacts[]> {
  if (firmwareVersionIds.length === 0) return []
  const versions = { workspaceId, firmwareVersionIds }
  const counted = await store.listMarkFacts(ctx.db, versions)
  const gates = await ctx.reactions.listGateFacts(ctx, versions)
  const notes = await listSupportNotes(ctx.db, { ...versions, now: ctx.now() })
  return counted.map((facts, index) => {
    const id = firmwareVersionIds[index] ?? ''
    return { ...facts, gate: gates.get(id), supportNote: notes.get(id) }
  })
}
