/** Runs expressions of jq by the program of that name (decision 61). */
import { spawnSync } from 'node:child_process'
import { usageError } from './failure.ts'
import { getTerminal } from './terminal.ts'

/** What the expression makes of the answer: texts as they are, everything else as JSON, one a line. */
export function filterByJq(answer: unknown, expression: string): string {
  return runJq(['-r', '-c', `(${expression}\n)`], JSON.stringify(answer) ?? 'null')
}

/** Before anything is asked of the service, and so before anything is changed. */
export function checkExpression(expression: string): void {
  runJq(['-n', `empty | (${expression}\n)`], '')
}

function runJq(args: readonly string[], input: string): string {
  const { env } = getTerminal()
  const options = { input, env, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY } as const
  const { error, status, stdout, stderr } = spawnSync('jq', args, options)
  if (error && 'code' in error && error.code === 'ENOENT')
    throw usageError(
      '--jq runs the program jq, which is not on the PATH: install it (https://jqlang.org), or use --json with another program.',
    )
  if (error) throw usageError(`--jq: ${error.message}`)
  if (status !== 0) throw usageError(`--jq: ${stderr.trim()}`)
  return stdout
}
