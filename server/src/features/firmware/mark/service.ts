import type { Db } from '../../../platform/db/connect.ts'
import { type Mark, decideMark, listMarkReasons } from './mark.ts'
import { listMarkFacts } from './store.ts'

/** The marks of these firmware versions, one per id. */
export async function listMarks(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<Map<string, Mark>> {
  const ids = [...new Set(firmwareVersionIds)]
  const facts = await listMarkFacts(db, { workspaceId, firmwareVersionIds: ids })
  return new Map(facts.map((each, index) => [ids[index] ?? '', decideMark(each)]))
}

/** Reads the mark, and what each rule of the gate says. */
export async function readMark(db: Db, workspaceId: string, firmwareVersionId: string) {
  const versions = { workspaceId, firmwareVersionIds: [firmwareVersionId] }
  const [facts] = await listMarkFacts(db, versions)
  if (!facts) throw new Error('The mark of one version was asked for.')
  return { ...decideMark(facts), reasons: listMarkReasons(facts) }
}
