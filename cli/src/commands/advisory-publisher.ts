/** How advisories are published, and whether everybody can read them. */
import type { Command } from 'commander'
import type { AdvisoryPublisher } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { formatTime } from '../instant.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'

export const PUBLISHER = '/workspaces/{workspaceId}/advisory-publisher'

export function addPublisherCommands(advisory: Command): void {
  withConnection(advisory.command('publisher'))
    .description('Show how advisories are published, or change it')
    .option('--public', 'everybody can read what was published')
    .option('--private', 'nobody can')
    .option('--prefix <prefix>', 'of tracking ids: PREFIX-YEAR-NUMBER')
    .option('--name <name>', 'of the publisher')
    .option('--contact <contact...>', 'of security.txt, the preferred one first')
    .option('--policy <address>', 'of security.txt: the policy of disclosure')
    .action(showPublisher)
  withConnection(advisory.command('security-text'))
    .description('Write the text of a security.txt, to sign and serve on your own domain')
    .action(writeSecurityText)
}

interface PublisherOptions extends ConnectionOptions {
  public?: boolean
  private?: boolean
  prefix?: string
  name?: string
  contact?: string[]
  policy?: string
}

async function showPublisher(options: PublisherOptions): Promise<void> {
  const { prefix, name, contact: contacts, policy: policyAddress } = options
  if (options.public && options.private) throw usageError('Say --public or --private, not both.')
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId }
  const found = await client.get(PUBLISHER, { params })
  const body = {
    ...(options.public && { isPublic: true }),
    ...(options.private && { isPublic: false }),
    ...(prefix !== undefined && { prefix }),
    ...(name !== undefined && { name }),
    ...(contacts !== undefined && { contacts }),
    ...(policyAddress !== undefined && { policyAddress }),
  }
  const hasChange = Object.keys(body).length > 0
  const answer = hasChange ? await client.patch(PUBLISHER, { params, body, ifStill: found }) : found
  printDone(options, { answer, text: describePublisher(answer) })
}

function describePublisher(publisher: AdvisoryPublisher): string {
  const { isPublic, publishesAs, prefix, pageUrl, feedUrl, metadataUrl } = publisher
  return [
    `Published as ${publishesAs}, numbered ${prefix}-YEAR-NUMBER`,
    isPublic ? 'Public: everybody can read what was published' : 'Not public: nothing can be read',
    `For people:   ${pageUrl}`,
    `Feed:         ${feedUrl}`,
    `Metadata:     ${metadataUrl}`,
  ].join('\n')
}

async function writeSecurityText(options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { securityText, securityTextExpiresAt } = await client.get(PUBLISHER, {
    params: { workspaceId },
  })
  if (securityText === null)
    throw usageError(
      'There is no contact: plimsoll advisory publisher --contact mailto:psirt@example.com',
    )
  if (options.json) printJson({ securityText, securityTextExpiresAt })
  else for (const line of securityText.trimEnd().split('\n')) printLine(sanitise(line))
  note(`It expires on ${formatTime(securityTextExpiresAt)}: sign it and serve it anew before.`)
}
