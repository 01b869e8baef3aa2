/** Records facts. They are never changed: what was wrong is corrected by another one. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import type { FactDetail, FactKind } from './case-facts.ts'
import { insertFact } from './store.ts'

export interface StatedFact {
  workspaceId: string
  caseId: string
  actor: Actor
  kind: FactKind
  instant?: Date | null
  isEstimate?: boolean
  text?: string | null
  detail?: FactDetail
  correctsId?: string
}

export async function recordFact(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { actor, ...fact }: StatedFact,
): Promise<string> {
  const id = newId()
  await insertFact(tx, {
    workspaceId: fact.workspaceId,
    caseId: fact.caseId,
    id,
    kind: fact.kind,
    recordedAt: now(),
    byType: actor.type,
    byId: actor.id ?? null,
    byEmail: actor.email ?? null,
    instant: fact.instant ?? null,
    isEstimate: fact.isEstimate ?? false,
    text: fact.text ?? null,
    detail: fact.detail ?? {},
    correctsId: fact.correctsId ?? null,
  })
  return id
}
