/** Decisions that assistants and pipelines propose, and what people make of them. */
import { type Command, Option } from 'commander'
import {
  ASSESSMENT,
  type DecisionProposal,
  type ProposalsOutcome,
  VEX_JUSTIFICATION,
  VEX_RESPONSE,
} from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import type { AssessFinding } from '../findings.ts'
import { formatTime } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { findFirmware } from '../firmware-version.ts'
import { findOneByName, notFound } from '../named.ts'
import { withWayToList } from '../not-found.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { type FindingOptions, findFindingId, withFinding } from './findings-show.ts'

const PROPOSALS = '/workspaces/{workspaceId}/decision-proposals'
const PROPOSAL = `${PROPOSALS}/{proposalId}` as const
const STATES = ['Open', 'Taken', 'Changed', 'Refused', 'Replaced'] as const

interface VerdictOptions extends ConnectionOptions {
  assessment?: AssessFinding['assessment']
  justification?: AssessFinding['justification']
  detail?: string
  response?: AssessFinding['response']
}

interface ProposeOptions extends VerdictOptions, FindingOptions {
  reason: string
  evidence?: string[]
}

export function addProposalCommands(program: Command): void {
  const proposal = program
    .command('proposal')
    .description('Decisions that assistants propose, and people take, change or refuse')

  withListOptions(proposal.command('list'))
    .description('List proposed decisions, newest first')
    .addOption(
      new Option('--state <state>', 'only those of this state').choices(STATES).default('Open'),
    )
    .option('--firmware <slug>', 'only those about versions of this firmware')
    .option('--by <name>', 'only those of this API key or person: its name, address or id')
    .option('--assessment <word>', `only these: ${ASSESSMENT.join(', ')}`, readOneOf(ASSESSMENT))
    .action(list)
  named(proposal.command('show'))
    .description('Show a proposed decision with its reasons and evidence')
    .action(show)
  withVerdict(withConnection(withFinding(proposal.command('create'))))
    .description('Propose what to decide about a finding; nothing is decided')
    .requiredOption('--reason <text>', 'why, for whoever decides')
    .option('--evidence <text...>', 'what it rests on; a text may end with a link')
    .action(create)
  withVerdict(named(proposal.command('take')))
    .description('Decide as proposed; with --assessment, otherwise than proposed')
    .action(take)
  withConnection(proposal.command('refuse').argument('<proposal...>', 'their ids'))
    .description('Refuse proposed decisions; the findings stay as they are')
    .requiredOption('--reason <text>', 'why')
    .action(refuse)
  withConnection(proposal.command('reopen').argument('<proposal...>', 'their ids'))
    .description('Take back that proposed decisions were refused: they are open again')
    .action(reopen)
}

function named(command: Command): Command {
  return withConnection(command.argument('<proposal>', 'its id'))
}

function withVerdict(command: Command): Command {
  return command
    .option('--assessment <word>', ASSESSMENT.join(', '), readOneOf(ASSESSMENT))
    .option('--justification <word>', VEX_JUSTIFICATION.join(', '), readOneOf(VEX_JUSTIFICATION))
    .option('--detail <text>', 'reason in the words of the decision')
    .option('--response <word>', VEX_RESPONSE.join(', '), readOneOf(VEX_RESPONSE))
}

const COLUMNS: readonly Column<DecisionProposal>[] = [
  { title: 'VULNERABILITY', value: ({ cveId }) => cveId },
  { title: 'COMPONENT', value: ({ component }) => formatComponent(component) },
  { title: 'IN', value: ({ firmwareVersion }) => firmwareVersion.name },
  { title: 'PROPOSED', value: ({ assessment }) => assessment },
  { title: 'BY', value: ({ proposedBy }) => proposedBy.name ?? proposedBy.email },
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'STATE', value: ({ state }) => state, isSpare: true },
  { title: 'ID', value: ({ id }) => id },
]

const formatComponent = ({ name, version }: DecisionProposal['component']) =>
  version === null ? name : `${name} ${version}`

interface ProposalListOptions extends ListOptions {
  state: (typeof STATES)[number]
  firmware?: string
  by?: string
  assessment?: AssessFinding['assessment']
}

async function list(options: ProposalListOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const { state, assessment } = options
  const query = {
    state,
    ...(assessment && { assessment }),
    ...(options.firmware !== undefined && {
      firmwareId: await findFirmwareId(session, options.firmware),
    }),
    ...(options.by !== undefined && { proposedById: await findAuthorId(session, options.by) }),
  }
  const found = await client.get(PROPOSALS, { params: { workspaceId }, query })
  printListing(options, {
    rows: found.proposals,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'proposal',
    answer: (proposals) => ({ ...found, proposals }),
  })
}

async function findFirmwareId(session: Session, slug: string): Promise<string> {
  const firmware = await findFirmware(session, slug)
  if (!firmware) throw notFound('firmware', `slug ${JSON.stringify(slug)}`)
  return firmware.id
}

async function findAuthorId({ client, workspaceId }: Session, name: string): Promise<string> {
  const { authors } = await client.get(PROPOSALS, { params: { workspaceId } })
  const { id } = await findOneByName(name, 'author of proposals', () => Promise.resolve(authors))
  return id
}

async function show(proposalId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(PROPOSAL, { params: { workspaceId, proposalId } })
  if (options.json) printJson(found)
  else printFacts(listFacts(found))
}

function listFacts(found: DecisionProposal): Fact[] {
  const { proposedBy, decidedAt } = found
  return [
    ['Proposal', found.id],
    ['State', found.state],
    ['Vulnerability', found.cveId],
    ['Component', `${formatComponent(found.component)} of ${found.firmwareVersion.name}`],
    ['Finding', found.findingId],
    ['Assessment', found.assessment],
    ['Justification', found.justification],
    ['Detail', found.detail],
    ['Response', found.response],
    ['Reason', found.reason],
    ...found.evidence.map(({ text, link }): Fact => [
      'Evidence',
      link === null ? text : `${text} (${link})`,
    ]),
    ['Proposed', `${formatTime(found.proposedAt)} by ${proposedBy.name ?? proposedBy.email ?? ''}`],
    ['Decided', decidedAt && `${formatTime(decidedAt)} by ${found.decidedByEmail ?? ''}`],
    ['Refused because', found.refusal],
  ]
}

/** undefined: no assessment is stated, and so nothing that explains one. */
function readVerdict({ assessment, justification, detail, response }: VerdictOptions) {
  if (assessment === undefined) {
    if (justification !== undefined || detail !== undefined || response !== undefined)
      throw usageError('--justification, --detail and --response belong to --assessment.')
    return undefined
  }
  return {
    assessment,
    ...(justification !== undefined && { justification }),
    ...(detail !== undefined && { detail }),
    ...(response !== undefined && { response }),
  }
}

const LINKED = /^(.*\S)\s+(https?:\/\/\S+)$/s

function readEvidence(text: string) {
  const [, said, link] = LINKED.exec(text) ?? []
  return said === undefined || link === undefined ? { text } : { text: said, link }
}

async function create(
  finding: string,
  version: string | undefined,
  options: ProposeOptions,
): Promise<void> {
  const verdict = readVerdict(options)
  if (!verdict) throw usageError('Say what is proposed: --assessment.')
  const session = await openSession(options)
  const findingId = await findFindingId(session, { finding, version }, options)
  const { client, workspaceId } = session
  const { reason, evidence = [] } = options
  const answer = await client.post(
    '/workspaces/{workspaceId}/vulnerability-findings/{findingId}/proposals',
    {
      params: { workspaceId, findingId },
      body: { ...verdict, reason, evidence: evidence.map(readEvidence) },
    },
  )
  const text = `${answer.id}: proposed ${answer.assessment} for ${answer.cveId} in ${formatComponent(answer.component)}`
  printDone(options, { answer, id: answer.id, text })
}

async function take(proposalId: string, options: VerdictOptions): Promise<void> {
  const verdict = readVerdict(options)
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, proposalId }
  const answer = await client.post(`${PROPOSAL}/take`, {
    params,
    body: { ...(verdict && { verdict }) },
  })
  const decided = verdict?.assessment ?? answer.assessment
  printDone(options, { answer, text: `${answer.cveId}: decided ${decided}` })
}

async function refuse(
  proposalIds: string[],
  options: ConnectionOptions & { reason: string },
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { reason } = options
  const [proposalId, ...others] = proposalIds
  if (proposalId !== undefined && others.length === 0) {
    const params = { workspaceId, proposalId }
    const answer = await client.post(`${PROPOSAL}/refuse`, { params, body: { reason } })
    printDone(options, { answer, text: `${answer.id}: refused` })
    return
  }
  const body = { proposalIds, reason }
  const answer = await client.post(`${PROPOSALS}/bulk-refuse`, { params: { workspaceId }, body })
  requireSome(answer, 'open')
  printDone(options, { answer, text: describeMany(answer, 'refused', 'not open') })
}

async function reopen(proposalIds: string[], options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const body = { proposalIds }
  const answer = await client.post(`${PROPOSALS}/bulk-reopen`, { params: { workspaceId }, body })
  requireSome(answer, 'refused')
  printDone(options, { answer, text: describeMany(answer, 'open again', 'not refused') })
}

/** A pipeline whose ids name nothing hears of it. */
function requireSome({ changed }: ProposalsOutcome, state: string): void {
  if (changed > 0) return
  throw usageError(withWayToList(`None of these is a proposal that is ${state}.`, 'proposal'))
}

/** "3 proposals: refused. 1 is left, not open." */
const describeMany = ({ changed, left }: ProposalsOutcome, done: string, other: string) =>
  `${formatCount(changed, 'proposal')}: ${done}.${left === 0 ? '' : ` ${left} left, ${other}.`}`
