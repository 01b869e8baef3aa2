import { Type } from 'typebox'
import {
  Exactly,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { ASSESSMENTS } from '../../formats/assessments.ts'
import { AssessmentSchema } from '../findings/index.ts'
import { AssessVulnerabilityFindingCommand } from '../triage/index.ts'
import { PROPOSAL_STATES } from './store.ts'

const { assessment, justification, detail, response } = AssessVulnerabilityFindingCommand.properties
const verdict = { assessment, justification, detail, response }
const REASON_CHARACTERS = 4000
/** Of one answer, and of one command. */
export const MOST_LISTED = 500

const Reason = Type.String({ minLength: 1, maxLength: REASON_CHARACTERS, pattern: '\\S' })
const Link = Nullable(Type.String({ maxLength: 1000, pattern: '^https?://' }))

export const ProposeDecisionCommand = Exactly(
  {
    ...verdict,
    reason: { ...Reason, description: 'Why, for whoever decides' },
    evidence: Type.Optional(
      Type.Array(
        Exactly({
          text: Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' }),
          link: Type.Optional(Link),
        }),
        { maxItems: 20, description: 'What it rests on, and where that is to be seen' },
      ),
    ),
  },
  {
    examples: [
      {
        assessment: 'NotAffected',
        justification: 'vulnerable_code_not_present',
        reason: 'The build configuration switches the HTTP applet off.',
        evidence: [
          { text: 'CONFIG_HTTPD is not set', link: 'https://git.acme.example/gateway/config' },
        ],
      },
    ],
  },
)

export const TakeProposalCommand = Exactly(
  {
    verdict: Type.Optional(
      Exactly(verdict, {
        description: 'What to decide in place of what is proposed; left out: as proposed',
      }),
    ),
  },
  { examples: [{}, { verdict: { assessment: 'InTriage', detail: 'Ask the vendor first.' } }] },
)

export const RefuseProposalCommand = Exactly(
  { reason: Reason },
  { examples: [{ reason: 'The applet is built in since 4.2.' }] },
)

export const ProposalQuery = Exactly({
  state: Type.Optional(Type.Enum([...PROPOSAL_STATES], { default: 'Open' })),
  findingId: Type.Optional(
    Type.String({ maxLength: 300, description: 'Only proposals about this finding' }),
  ),
  firmwareId: Type.Optional(Type.String({ maxLength: 200, description: 'Of this firmware' })),
  proposedById: Type.Optional(
    Type.String({ maxLength: 200, description: 'Of this person or API key (`proposedBy.id`)' }),
  ),
  assessment: Type.Optional(Type.Enum([...ASSESSMENTS], { description: 'What is proposed' })),
})

const named = {
  proposalIds: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: MOST_LISTED }),
}

export const RefuseProposalsCommand = Exactly(
  { ...named, reason: Reason },
  { examples: [{ proposalIds: ['…'], reason: 'The assistant read another configuration.' }] },
)

export const ReopenProposalsCommand = Exactly(named, { examples: [{ proposalIds: ['…'] }] })

export const ProposalsOutcome = Shape('ProposalsOutcome', {
  changed: Type.Integer(),
  left: Type.Integer({
    description: 'Those of another state than the command is about: they stay as they are',
  }),
})

export const DecisionProposal = Shape(
  'DecisionProposal',
  {
    id: Type.String(),
    findingId: Type.String(),
    cveId: Type.String(),
    firmwareVersion: Reference,
    component: Shape('ProposalComponent', {
      name: Type.String(),
      version: Nullable(Type.String()),
    }),
    assessment: AssessmentSchema,
    justification: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    response: Nullable(Type.String()),
    reason: Type.String(),
    evidence: Type.Array(
      Shape('ProposalEvidence', { text: Type.String(), link: Nullable(Type.String()) }),
    ),
    proposedBy: Shape('ProposalAuthor', {
      id: Nullable(Type.String()),
      type: Type.String({ examples: ['ApiKey'] }),
      name: Nullable(Type.String(), { description: 'Of the API key' }),
      email: Nullable(Type.String(), { description: 'Of the person, or of who made the key' }),
    }),
    proposedAt: Timestamp,
    state: OneOf('ProposalState', PROPOSAL_STATES),
    decidedByEmail: Nullable(Type.String()),
    decidedAt: Nullable(Timestamp),
    refusal: Nullable(Type.String(), { description: 'Why it was refused' }),
  },
  {
    description:
      'State: Open: nobody has decided it. Taken: decided as proposed. Changed: taken with another verdict. Refused. Replaced: by a later proposal of the same author',
  },
)

export const DecisionProposalList = Shape('DecisionProposalList', {
  proposals: Type.Array(DecisionProposal, { description: 'Newest first, at most 500' }),
  hasMore: Type.Boolean(),
  openCount: Type.Integer({ description: 'Open proposals of the whole workspace' }),
  authors: Type.Array(Shape('ProposingAuthor', { id: Type.String(), name: Type.String() }), {
    description: 'Everybody who ever proposed a decision in the workspace, at most 500',
  }),
})

/** Proposals wait for those who may decide. */
export const ProposalMail = defineMessage(
  'decision-proposals.mail',
  Type.Object({ workspaceId: Type.String(), personId: Type.String(), mailId: Type.String() }),
)
