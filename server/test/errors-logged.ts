/** What the services of a test file logged as errors. It is printed only with what failed: many tests cause errors on purpose. */
const MOST_LINES = 1_000

const lines: string[] = []

export const errorsLogged = {
  write(line: string): void {
    lines.push(line)
    if (lines.length > MOST_LINES) lines.shift()
  },
}

export function findErrorOf(requestId: string): string | undefined {
  return lines.findLast((line) => line.includes(requestId))
}
