/** Programs that a release is made with. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const OUTPUT_BYTES = 64 * 1024 * 1024

interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Its standard output. What it says on the other one is part of the error when it fails. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const run = promisify(execFile)
  const { stdout } = await run(program, [...args], { maxBuffer: OUTPUT_BYTES, ...options })
  return stdout
}
