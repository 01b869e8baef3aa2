/** Has a person approve this terminal in the portal, in the flow of RFC 8628. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiClient,
  ApiProblem,
  type TerminalKey,
  type TerminalLoginBegin,
} from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'
import { complain } from './print.ts'
import { sanitise } from './printable.ts'
import { getTerminal } from './terminal.ts'
import { readVersion } from './version.ts'
import { openPage } from './web-browser.ts'

export async function logInByPortal(
  client: ApiClient,
  { opens }: { opens: boolean },
): Promise<TerminalKey> {
  const host = hostname().slice(0, MOST_CHARACTERS) || 'unnamed'
  const body = { client: `plimsoll ${readVersion()}`, host }
  const begun = await client.post('/auth/terminal-logins', { body })
  complain(sanitise(`Open ${begun.verificationUri} and enter the code ${begun.userCode}`))
  complain(sanitise(`or open ${begun.verificationUriComplete}`))
  complain(`Approve it only if the page shows this code and the host ${sanitise(host)}.`)
  if (opens) await openPage(begun.verificationUriComplete)
  return collect(client, begun)
}

const MOST_CHARACTERS = 100
/** RFC 8628, section 3.5. */
const SLOWER_BY_SECONDS = 5

async function collect(client: ApiClient, begun: TerminalLoginBegin): Promise<TerminalKey> {
  const { deviceCode, expiresIn, interval } = begun
  const pause = getTerminal().pause ?? sleep
  let seconds = interval
  for (let waited = seconds; waited <= expiresIn; waited += seconds) {
    await pause(seconds * 1000)
    try {
      return await client.post('/auth/terminal-logins/key', { body: { deviceCode } })
    } catch (error) {
      const kind = error instanceof ApiProblem ? error.problem.type.split('/').at(-1) : undefined
      if (kind === 'slow-down') seconds += SLOWER_BY_SECONDS
      else if (kind !== 'authorization-pending' && !isAway(error)) throw refusal(kind) ?? error
    }
  }
  throw tooLate()
}

/** The service may start again while somebody reads the page. */
function isAway(error: unknown): boolean {
  return error instanceof CliError && error.exitCode === EXIT.unavailable
}

function refusal(kind: string | undefined): CliError | undefined {
  if (kind === 'access-denied') return new CliError(EXIT.unauthorised, 'The login was refused.')
  return kind === 'expired-token' ? tooLate() : undefined
}

function tooLate(): CliError {
  return new CliError(EXIT.timedOut, 'Nobody approved the login in time: begin again.')
}
