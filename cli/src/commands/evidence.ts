/** Signed bundles of what Plimsoll knows of a product line. */
import type { Command } from 'commander'
import type { EvidenceKey } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { download } from '../download.ts'
import { type VerifiedEvidence, verifyEvidence } from '../evidence-bundle.ts'
import { EXIT } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { formatTime, parseEnd, parseStart } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { findLine } from './product-line.ts'

const KEYS = '/workspaces/{workspaceId}/evidence-keys'

export function addEvidenceCommands(program: Command): void {
  const evidence = program
    .command('evidence')
    .description('Signed bundles of what is known of a product line')

  withConnection(evidence.command('create'))
    .description(
      'Write everything about a product line into one signed tar file: SBOMs, findings, decisions, cases',
    )
    .argument('<product-line>', 'its id or name')
    .option(
      '--from <time>',
      'decisions and uptake from then on: a time, or a day of UTC (default: all)',
      parseStart,
    )
    .option(
      '--to <time>',
      'everything before then: a time, or a day of UTC, which belongs to it (default: now)',
      (text: string) => parseEnd(text),
    )
    .option('--output <file>', 'file to write (default: stdout, where that is no terminal)')
    .action(create)
  evidence
    .command('verify')
    .description('Say what of a bundle differs from what was signed; asks no service')
    .argument('<bundle>', 'the tar file, or the folder that it was unpacked to')
    .option('--key <file>', 'the public key that the manufacturer names, instead of the one inside')
    .option('--json', 'answer as JSON')
    .action(verify)
  withListOptions(evidence.command('keys'))
    .description('List the public keys that bundles are signed with, newest first')
    .action(listKeys)
  withConfirmation(withConnection(evidence.command('rotate-key')))
    .description('Sign bundles with a new key from now on')
    .action(rotateKey)
}

interface CreateOptions extends ConnectionOptions {
  from?: string
  to?: string
  output?: string
}

async function create(line: string, options: CreateOptions): Promise<void> {
  const { from, to, output } = options
  if (output === undefined && getTerminal().stdout.isTTY === true)
    throw usageError('A bundle is a tar file, which no terminal shows: name a file with --output.')
  const session = await openSession(options)
  const { id } = await findLine(session, line)
  const query = new URLSearchParams({
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })
  await download(session, `/product-lines/${id}/evidence?${query.toString()}`, output)
}

async function verify(path: string, { key, json }: { key?: string; json?: boolean }) {
  const verified = await verifyEvidence(path, key)
  if (json) printJson(verified)
  else for (const line of describeVerified(verified, key)) printLine(sanitise(line))
  if (!verified.isIntact)
    throw new CliError(EXIT.evidenceDiffers, `${path} is not as it was signed.`)
}

function describeVerified(verified: VerifiedEvidence, key: string | undefined): string[] {
  const { isIntact, fileCount, fingerprint, faults, changed, missing, added, renamed } = verified
  const differences = [
    ...faults.map((text) => `${text}.`),
    ...changed.map((name) => `changed: ${name}`),
    ...renamed.map(({ from, to }) => `renamed: ${from} is ${to} now`),
    ...missing.map((name) => `missing: ${name}`),
    ...added.map((name) => `added: ${name}`),
  ]
  if (!isIntact) return differences
  const signer = `the key ${fingerprint ?? ''}`
  return [
    `${formatCount(fileCount, 'file')}, as they were signed with ${signer}.`,
    ...(key === undefined
      ? ['Compare the key with the one that the manufacturer names: plimsoll evidence keys.']
      : []),
  ]
}

const COLUMNS: readonly Column<EvidenceKey>[] = [
  { title: 'SINCE (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'UNTIL (UTC)', value: ({ retiredAt }) => formatTime(retiredAt) ?? 'signs now' },
  { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint, isWhole: true },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listKeys(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { keys } = await client.get(KEYS, { params: { workspaceId } })
  printListing(options, {
    rows: keys,
    columns: COLUMNS,
    nameOf: ({ fingerprint }) => fingerprint,
    noun: 'key',
    answer: (rows) => ({ keys: rows }),
  })
}

async function rotateKey(options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  await confirm(
    'Sign with a new key from now on? Nobody can sign with the former one any more; bundles that it signed stay valid.',
    options,
  )
  const answer = await client.post(`${KEYS}/rotate`, { params: { workspaceId } })
  printDone(options, {
    answer,
    id: answer.id,
    text: `Bundles are signed with ${answer.fingerprint} now.`,
  })
}
