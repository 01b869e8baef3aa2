/**
 * Closes at the end of a test file what its tests and hooks have opened. Vitest ignores an afterAll that is called within
 * a test or a hook, and the process goes on with the next file. What a beforeAll returns runs later: too late for what needs
 * the app.
 */
type Close = () => unknown

const closers: Close[] = []

export function closeAtEndOfFile(close: Close): void {
  closers.push(close)
}

const faults: string[] = []

/** For what is found beside the tests. The test file fails with it. */
export function failAtEndOfFile(fault: string): void {
  faults.push(fault)
}

/** The last that was opened is closed first. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close()
  if (faults.length > 0) throw new Error([...new Set(faults.splice(0))].join('\n'))
}
