/** E-mail addresses of a cohort that are told of advisories about what its devices run. */
import type { Command } from 'commander'
import { usageError } from '../failure.ts'
import { printDone } from '../done.ts'
import { findCohortId } from '../named.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession } from '../session.ts'

const CONTACTS = '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/contacts'

interface ContactsOptions extends ConnectionOptions {
  set?: string[]
  clear?: boolean
}

export function addContacts(command: Command): void {
  command
    .description('Show or replace who is told of advisories about what devices of a cohort run')
    .option('--set <address...>', 'these e-mail addresses, in place of those before')
    .option('--clear', 'nobody is told')
    .action(contacts)
}

async function contacts(cohort: string, options: ContactsOptions): Promise<void> {
  const { set, clear = false } = options
  if (set !== undefined && clear) throw usageError('Give --set or --clear, not both.')
  const session = await openSession(options)
  const { client, workspaceId } = session
  const params = { workspaceId, deploymentCohortId: await findCohortId(session, cohort) }
  const found = await client.get(CONTACTS, { params })
  const wanted = clear ? [] : set
  if (wanted === undefined) {
    if (options.json) printJson(found)
    else for (const line of describeContacts(found)) printLine(sanitise(line))
    return
  }
  const answer = await client.put(CONTACTS, {
    params,
    body: { contacts: wanted },
    ifStill: found,
  })
  const text = `${cohort}: ${formatCount(answer.contacts.length, 'contact')} from now on`
  printDone(options, { answer, text: sanitise(text) })
}

function describeContacts(of: { contacts: string[]; unwanted: string[] }): string[] {
  if (of.contacts.length === 0) return ['No contact is told of advisories.']
  return of.contacts.map((address) =>
    of.unwanted.includes(address) ? `${address} (asked for no more mails)` : address,
  )
}
