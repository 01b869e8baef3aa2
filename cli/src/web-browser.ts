/** Opens a page in the browser of the person at the terminal. */
import { spawn } from 'node:child_process'
import { note } from './print.ts'
import { getTerminal } from './terminal.ts'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Where it cannot be opened, the person has read the address already. */
export async function openPage(url: string): Promise<void> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const { env } = getTerminal()
  await new Promise<void>((resolve) => {
    const opener = spawn(command, [...args, url], { detached: true, env, stdio: 'ignore' })
    opener.once('error', (error) => {
      note(`${command} did not open it: ${error.message}`)
      resolve()
    })
    opener.once('spawn', resolve)
    opener.unref()
  })
}
