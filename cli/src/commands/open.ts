import { Argument, type Command } from 'commander'
import { isInteractive } from '../ask.ts'
import { EXIT } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { findFirmware, findStatedVersionId } from '../firmware-version.ts'
import { findCohortId, notFound } from '../named.ts'
import { findPageUrl, type PortalPage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { getTerminal } from '../terminal.ts'
import { openPage } from '../web-browser.ts'

interface Page {
  page: PortalPage
  /** What the name is called in the address. */
  id?: string
  /** Below the page, where the service names no page of its own. */
  path?: string
  /** Default: the name is the id. */
  find?: (session: Session, name: string) => Promise<string>
}

/** The pages that can be opened, by the words of the other commands. */
const PAGES: Readonly<Record<string, Page>> = {
  overview: { page: 'overview' },
  findings: { page: 'overview', path: '/findings' },
  devices: { page: 'overview', path: '/devices' },
  deployments: { page: 'overview', path: '/deployments' },
  alerts: { page: 'overview', path: '/alerts' },
  exposure: { page: 'overview', path: '/exposure' },
  sources: { page: 'sources' },
  settings: { page: 'overview', path: '/settings/workspace' },
  you: { page: 'you' },
  firmware: { page: 'firmware', id: 'firmwareId', find: findFirmwareId },
  'firmware-version': {
    page: 'firmwareVersion',
    id: 'firmwareVersionId',
    find: findStatedVersionId,
  },
  device: { page: 'device', id: 'deviceId' },
  finding: { page: 'finding', id: 'findingId' },
  vulnerability: { page: 'vulnerability', id: 'cveId' },
  cohort: { page: 'deploymentCohort', id: 'deploymentCohortId', find: findCohortId },
  incident: { page: 'incident', id: 'incidentId' },
}

export function addOpenCommand(program: Command): void {
  withConnection(program.command('open'))
    .description('Open a page of the portal: in the browser on a terminal, else its address')
    .addArgument(new Argument('[page]').choices(Object.keys(PAGES)).default('overview'))
    .argument('[name]', 'of what the page is about: an id, a name, slug@version')
    .option('--print', 'only print the address')
    .action(open)
}

async function open(
  what: string,
  name: string | undefined,
  options: ConnectionOptions & { print?: boolean },
): Promise<void> {
  const page = findPage(what, name)
  const session = await openSession(options)
  const url = await findPageUrl(session, page.page, await findIds(session, page, name))
  if (url === undefined) throw new CliError(EXIT.error, 'This service has no portal.')
  const address = url + (page.path ?? '')
  if (options.json) printJson({ url: address })
  else printLine(sanitise(address))
  const isWatched = getTerminal().stdout.isTTY === true && isInteractive()
  if (isWatched && !options.print && !options.json) await openPage(address)
}

function findPage(what: string, name: string | undefined): Page {
  const page = PAGES[what]
  if (!page) throw usageError(`There is no page ${what}.`)
  if (page.id !== undefined && name === undefined)
    throw usageError(`Say which one: open ${what} NAME.`)
  if (page.id === undefined && name !== undefined) throw usageError(`open ${what} takes no name.`)
  return page
}

async function findIds(session: Session, { id, find }: Page, name: string | undefined) {
  if (id === undefined || name === undefined) return {}
  return { [id]: find ? await find(session, name) : name }
}

async function findFirmwareId(session: Session, name: string): Promise<string> {
  const firmware = await findFirmware(session, name)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(name)}`)
  return firmware.id
}
