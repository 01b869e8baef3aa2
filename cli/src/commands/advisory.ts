/** Advisories about the workspace's own products: drafted, edited, published, withdrawn. */
import type { Command } from 'commander'
import type { SecurityAdvisory, SecurityAdvisorySummary } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { download } from '../download.ts'
import { usageError } from '../failure.ts'
import { findVersionId } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readPositiveInteger } from '../option-values.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { addContactCommands } from './advisory-contacts.ts'
import { addPublisherCommands, PUBLISHER } from './advisory-publisher.ts'

const ADVISORIES = '/workspaces/{workspaceId}/security-advisories'
const ADVISORY = `${ADVISORIES}/{advisoryId}` as const

export function addAdvisoryCommands(program: Command): void {
  const advisory = program
    .command('advisory')
    .description('Security advisories about your products, as CSAF')

  withListOptions(advisory.command('list'))
    .description('List drafts and published advisories, the newest first')
    .action(list)
  withConnection(advisory.command('draft'))
    .description(
      'Draft an advisory of a case, a finding, a vulnerability or the difference of two versions',
    )
    .option('--case <id>', 'the case it is about')
    .option('--finding <id>', 'the finding it is about')
    .option('--from <version>', 'the affected version, its id or slug@name; with --to')
    .option('--to <version>', 'the version that brings the fixes')
    .option('--cve <id...>', 'the vulnerability it is about; of a difference, these alone')
    .option('--title <title>', 'of the advisory')
    .action(draft)
  named(advisory.command('show'))
    .description('Show an advisory, and what publishing still needs; --json is what update takes')
    .action(show)
  named(advisory.command('document'))
    .description('Write the CSAF document of the draft, or of a revision')
    .option('--revision <number>', 'a published revision', readPositiveInteger)
    .option('--output <file>', 'file to write (default: stdout)')
    .action(writeDocument)
  withConnection(advisory.command('update'))
    .description('Replace what an advisory says; what was published stays until the next revision')
    .argument('<advisory>', 'its id or tracking id')
    .argument('<file>', 'JSON as advisory show --json prints it; - for stdin')
    .action(update)
  withConfirmation(named(advisory.command('publish')))
    .description('Publish an advisory as a new revision, which is kept for ever')
    .requiredOption('--summary <text>', 'what is new in this revision, for readers')
    .option('--no-mail', 'tell no contact by mail')
    .action(publish)
  withConfirmation(named(advisory.command('withdraw')))
    .description('Withdraw a published advisory by a revision that says so')
    .requiredOption('--reason <text>', 'why; everybody reads it')
    .option('--no-mail', 'tell no contact by mail')
    .action(withdraw)
  withConfirmation(named(advisory.command('delete')))
    .description('Delete a draft that was never published')
    .action(remove)
  addContactCommands(advisory)
  addPublisherCommands(advisory)
}

function named(command: Command): Command {
  return withConnection(command.argument('<advisory>', 'its id or tracking id'))
}

const nameOf = ({ trackingId, id }: { trackingId: string | null; id: string }) => trackingId ?? id

const COLUMNS: readonly Column<SecurityAdvisorySummary>[] = [
  { title: 'ADVISORY', value: nameOf },
  { title: 'STATE', value: ({ state, heldUntil }) => (heldUntil === null ? state : 'Held') },
  { title: 'REVISION', value: ({ revision }) => revision },
  {
    title: 'PUBLISHED',
    value: ({ publishedAt }) => (publishedAt === null ? null : formatTime(publishedAt)),
  },
  { title: 'TITLE', value: ({ title }) => title },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { securityAdvisories, hasMore } = await client.get(ADVISORIES, { params: { workspaceId } })
  printListing(options, {
    rows: securityAdvisories,
    columns: COLUMNS,
    nameOf,
    noun: 'advisory',
    nouns: 'advisories',
    ...(hasMore && { total: { hasMore } }),
    answer: (rows) => ({ securityAdvisories: rows, hasMore }),
  })
}

interface DraftOptions extends ConnectionOptions {
  case?: string
  finding?: string
  from?: string
  to?: string
  cve?: string[]
  title?: string
}

async function draft(options: DraftOptions): Promise<void> {
  const source = readSource(options)
  const session = await openSession(options)
  const { client, workspaceId } = session
  const findVersion = (text: string | undefined) =>
    text === undefined ? undefined : findVersionId(session, text, {})
  const fromVersionId = await findVersion(options.from)
  const toVersionId = await findVersion(options.to)
  const body = {
    ...source,
    ...(fromVersionId !== undefined && { fromVersionId }),
    ...(toVersionId !== undefined && { toVersionId }),
  }
  const made = await client.post(ADVISORIES, { params: { workspaceId }, body })
  if (options.json) printJson(made)
  else printLine(sanitise(`${made.id}: a draft. ${describeContent(made)}`))
}

/** What it is made of, apart from versions. */
function readSource(options: DraftOptions) {
  const { case: caseId, finding: findingId, from, cve: cveIds, title } = options
  if ([caseId, findingId, from, cveIds, title].every((given) => given === undefined))
    throw usageError(
      'Say what it is made of: --case, --finding, --cve, --from with --to, or a --title.',
    )
  return {
    ...(caseId !== undefined && { caseId }),
    ...(findingId !== undefined && { findingId }),
    ...(cveIds !== undefined && readVulnerabilities(cveIds, options)),
    ...(title !== undefined && { title }),
  }
}

/** Of a difference some alone; otherwise the one that it is about. */
function readVulnerabilities(cveIds: string[], { from, to }: DraftOptions) {
  const [vulnerabilityId, ...more] = cveIds
  if (from !== undefined || to !== undefined || vulnerabilityId === undefined) return { cveIds }
  if (more.length > 0) throw usageError('Without --from and --to, name one vulnerability by --cve.')
  return { vulnerabilityId }
}

function describeContent({ vulnerabilities, products, missing }: SecurityAdvisory): string {
  const told = `It is about ${formatCount(vulnerabilities.length, 'vulnerability', 'vulnerabilities')} in ${formatCount(products.length, 'version')}.`
  return missing.length === 0 ? told : `${told} Still missing: ${missing.join(' ')}`
}

async function openAdvisory(advisoryId: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, advisoryId }
  return { client, params, found: await client.get(ADVISORY, { params }) }
}

async function show(advisory: string, options: ConnectionOptions): Promise<void> {
  const { found } = await openAdvisory(advisory, options)
  if (options.json) {
    printJson(found)
    return
  }
  const names = new Map(
    found.products.map(({ firmwareVersionId, firmware, version }) => [
      firmwareVersionId,
      `${firmware} ${version}`,
    ]),
  )
  const lines = [
    `${nameOf(found)}: ${found.title} (${found.state})`,
    ...(found.heldUntil === null
      ? []
      : [`Waits until ${formatTime(found.heldUntil)}: ${found.heldReason ?? ''}`]),
    '',
    ...found.summary.split('\n'),
    ...found.vulnerabilities.flatMap((one) => describeVulnerability(one, names)),
    '',
    ...found.revisions.map(
      ({ number, publishedAt, summary }) =>
        `Revision ${number}, ${formatTime(publishedAt)}: ${summary}`,
    ),
    ...found.missing.map((text) => `Missing: ${text}`),
    ...(found.pageUrl === null ? [] : [`Public: ${found.pageUrl}`]),
  ]
  for (const line of lines) printLine(sanitise(line))
}

function describeVulnerability(
  { vulnerabilityId, title, statuses, remediations }: SecurityAdvisory['vulnerabilities'][number],
  names: ReadonlyMap<string, string>,
): string[] {
  const nameAll = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(', ')
  const byStatus = Map.groupBy(statuses, ({ status }) => status)
  return [
    '',
    [vulnerabilityId, title].filter(Boolean).join(': '),
    ...[...byStatus].map(
      ([status, of]) =>
        `  ${status}: ${nameAll(of.map(({ firmwareVersionId }) => firmwareVersionId))}`,
    ),
    ...remediations.map(
      ({ kind, details, firmwareVersionIds }) =>
        `  ${kind} for ${nameAll(firmwareVersionIds)}: ${details.replaceAll('\n', ' ')}`,
    ),
  ]
}

async function writeDocument(
  advisory: string,
  { revision, output, ...options }: ConnectionOptions & { revision?: number; output?: string },
): Promise<void> {
  const session = await openSession(options)
  const query = revision === undefined ? '' : `?revision=${revision}`
  const path = `/security-advisories/${encodeURIComponent(advisory)}/document${query}`
  await download(session, path, output)
}

async function update(advisory: string, file: string, options: ConnectionOptions): Promise<void> {
  const stated = await readJsonObject(file)
  const { client, params, found } = await openAdvisory(advisory, options)
  // The service checks the form, and says where it is wrong.
  const body = stated as { title: string; summary: string; vulnerabilities: [] }
  const answer = await client.put(ADVISORY, { params, body, ifStill: found })
  printDone(options, { answer, text: `${nameOf(answer)}: changed. ${describeContent(answer)}` })
}

interface PublishOptions extends ConnectionOptions, ConfirmOptions {
  mail: boolean
}

/** "It mails 14 contacts of 3 cohorts." */
async function describeMails(
  { client, params }: Pick<Awaited<ReturnType<typeof openAdvisory>>, 'client' | 'params'>,
  mail: boolean,
): Promise<string> {
  if (!mail) return 'No contact is told by mail.'
  const { recipients, sendsMail } = await client.get(`${ADVISORY}/recipients`, { params })
  const told = recipients.filter(({ isUnwanted }) => !isUnwanted)
  const contacts = formatCount(told.length, 'contact')
  if (told.length === 0) return 'No contact is named that it could be told to.'
  if (!sendsMail) return `The service sends no mail: ${contacts} must be told otherwise.`
  const countOf = (wanted: string) =>
    new Set(
      told.flatMap(({ reasons }) =>
        reasons.flatMap(({ kind, id }) => (kind === wanted ? [id] : [])),
      ),
    ).size
  const cohorts = formatCount(countOf('Cohort'), 'cohort')
  return `It mails ${contacts} of ${cohorts} and ${formatCount(countOf('Customer'), 'customer')}, once each.`
}

async function publish(
  advisory: string,
  { summary, mail, ...options }: PublishOptions & { summary: string },
): Promise<void> {
  const { client, params, found } = await openAdvisory(advisory, options)
  const { isPublic, feedUrl } = await client.get(PUBLISHER, {
    params: { workspaceId: params.workspaceId },
  })
  const number = found.revisions.length + 1
  const whom = isPublic
    ? 'everybody can read it at once'
    : 'nobody else can read it until somebody makes advisories public'
  const question = `Publish ${found.title} as revision ${number}? ${describeContent(found)} It is kept for ever, and ${whom}. ${await describeMails({ client, params }, mail)}`
  await confirm(question, options)
  const answer = await client.post(`${ADVISORY}/publish`, {
    params,
    body: { summary, tellContacts: mail },
    ifStill: found,
  })
  const where = answer.documentUrl ?? `not public; ${feedUrl} is off`
  printDone(options, { answer, text: `${nameOf(answer)}: published, revision ${number}: ${where}` })
}

async function withdraw(
  advisory: string,
  { reason, mail, ...options }: PublishOptions & { reason: string },
): Promise<void> {
  const { client, params, found } = await openAdvisory(advisory, options)
  const revisions = formatCount(found.revisions.length, 'revision')
  await confirm(
    `Withdraw ${nameOf(found)} (${found.title})? Readers are told by a new one; ${revisions} stay on record. ${await describeMails({ client, params }, mail)}`,
    options,
  )
  const answer = await client.post(`${ADVISORY}/withdraw`, {
    params,
    body: { reason, tellContacts: mail },
    ifStill: found,
  })
  printDone(options, { answer, text: `${nameOf(answer)}: withdrawn` })
}

async function remove(
  advisory: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, params, found } = await openAdvisory(advisory, options)
  await confirm(`Delete the draft of ${found.title}? It cannot be undone.`, options)
  await client.delete(ADVISORY, { params })
  printDone(options, { answer: { id: found.id }, text: `${nameOf(found)}: deleted` })
}
