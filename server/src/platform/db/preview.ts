import type { AppContext } from '../context.ts'
import type { Tx } from './connect.ts'

/** Runs `act` in a transaction that a preview undoes at the end, so that it says what would really happen. */
export async function runPreview<Answer>(
  ctx: Pick<AppContext, 'db'>,
  isPreview: boolean,
  act: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      const answer = await act(tx)
      if (isPreview) throw new Preview(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Preview) return error.answer as Answer
    throw error
  }
}

class Preview extends Error {
  readonly answer: unknown

  constructor(answer: unknown) {
    super('a preview is undone')
    this.answer = answer
  }
}
