/** Adding something beside a file: a signature, or a statement. */

interface Addition {
  /** Those that were there before. */
  known: readonly { id: string }[]
  add: () => Promise<{ id: string }>
  remove: (id: string) => Promise<unknown>
  readAgain: () => Promise<void>
}

/** Answers with the way back, unless it was there before: that way would delete what somebody else added. */
export async function addBeside({
  known,
  add,
  remove,
  readAgain,
}: Addition): Promise<(() => Promise<undefined>) | undefined> {
  const { id } = await add()
  await readAgain()
  if (known.some((one) => one.id === id)) return undefined
  return async () => {
    await remove(id)
    await readAgain()
    return undefined
  }
}
