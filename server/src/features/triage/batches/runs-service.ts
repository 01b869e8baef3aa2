/** Does a large decision, or its undo, in one transaction, and tells meanwhile how far it is. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import {
  deleteRun,
  insertRun,
  listRuns,
  lockRun,
  type RunProgress,
  type RunRow,
  updateRun,
} from './runs-store.ts'

/** Of what is done, how much; nobody waits until it is told. */
export interface Teller {
  tell: (progress: RunProgress) => void
}

const NOBODY: Teller = { tell: () => undefined }

/**
 * The note of the run ends with the transaction that does the work: whoever finds it no more finds what was done. Where the process
 * ends in the middle, the note stays and nothing was changed.
 */
export async function runTold<Answer>(
  { db }: Pick<AppContext, 'db'>,
  run: RunRow | undefined,
  work: (tx: Tx, teller: Teller) => Promise<Answer>,
): Promise<Answer> {
  if (!run) return db.transaction().execute((tx) => work(tx, NOBODY))
  await insertRun(db, run)
  const teller = createTeller(db, run)
  try {
    return await db.transaction().execute(async (tx) => {
      await lockRun(tx, run.id)
      const answer = await work(tx, teller)
      await deleteRun(tx, run)
      return answer
    })
  } catch (error) {
    await teller.settle()
    await deleteRun(db, run)
    throw error
  } finally {
    await teller.settle()
  }
}

/**
 * Writes by another connection, as the transaction shows nothing before its end. The work never waits for that connection: many
 * runs at once could each hold the one that another waits for.
 */
function createTeller(db: Db, run: RunRow): Teller & { settle: () => Promise<void> } {
  let writing: Promise<void> | undefined
  return {
    tell: (progress) => {
      // The next one tells more.
      if (writing) return
      writing = updateRun(db, run, progress)
        // It is only told: whether the work succeeds is known by the transaction.
        .catch(() => undefined)
        .finally(() => {
          writing = undefined
        })
    },
    settle: async () => writing,
  }
}

export async function listDecisionRuns(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, createdByEmail }: { workspaceId: string; createdByEmail?: string | undefined },
) {
  const runs = await listRuns(db, workspaceId, createdByEmail)
  return {
    decisionRuns: runs.map(({ isHeld, ...run }) => ({
      ...run,
      state: isHeld ? ('Running' as const) : ('Stopped' as const),
    })),
  }
}
