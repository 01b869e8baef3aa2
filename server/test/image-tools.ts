/** Whether the tools that make images are there. PLIMSOLL_REQUIRE_IMAGE_TOOLS=1 makes their absence an error. */
import { execFileSync } from 'node:child_process'

/** `asked`: an argument with which the program ends without a fault. */
export function canRun(program: string, asked = '--version'): boolean {
  try {
    execFileSync(program, [asked], { stdio: 'ignore' })
    return true
  } catch {
    if (process.env['PLIMSOLL_REQUIRE_IMAGE_TOOLS'] === '1')
      throw new Error(`PLIMSOLL_REQUIRE_IMAGE_TOOLS is set, and there is no ${program}`)
    return false
  }
}
