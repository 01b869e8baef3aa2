/** What assistants and pipelines propose to decide about the finding: a person takes it, changes it or refuses it. */
import type { BodyOf, DecisionProposal } from '@plimsoll/api-client'
import { Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { describeAssessment } from '../../components/decision/assessments.ts'
import {
  DecisionFields,
  type Draft,
  readDecision,
  useDecisionKeys,
} from '../../components/decision/decision-fields.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatDate } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { markSummariesStale } from '../../workspace-queries.ts'
import css from './finding-page.module.css'
import { proposalsQuery } from './queries.ts'

const PROPOSAL = '/workspaces/{workspaceId}/decision-proposals/{proposalId}'

export function Proposals({ findingId }: { findingId: string }) {
  const { data } = useQuery(proposalsQuery(useWorkspaceId(), findingId))
  const mayDecide = useMay('Vulnerabilities: write')
  return data?.proposals.map((proposal) => (
    <section
      key={proposal.id}
      className={css['disagreement']}
      aria-label={`Proposal of ${nameAuthor(proposal)}`}
    >
      <p>
        <strong>{nameAuthor(proposal)}</strong> proposes “{describeAssessment(proposal.assessment)}”
        since {formatDate(proposal.proposedAt)}.
      </p>
      <p>{proposal.reason}</p>
      <Evidence proposal={proposal} />
      {mayDecide && <ProposalActs proposal={proposal} />}
    </section>
  ))
}

export const nameAuthor = ({ proposedBy: { name, email } }: DecisionProposal) =>
  name ?? email ?? 'Somebody'

export function Evidence({ proposal: { evidence } }: { proposal: DecisionProposal }) {
  if (evidence.length === 0) return null
  return (
    <ul>
      {evidence.map(({ text, link }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- two pieces of evidence may be alike
        <li key={place}>
          {link === null ? (
            text
          ) : (
            <a href={link} target="_blank" rel="noreferrer">
              {text}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

export function ProposalActs({ proposal }: { proposal: DecisionProposal }) {
  const [open, setOpen] = useState<'change' | 'refuse'>()
  const take = useTake(proposal, () => undefined)
  const assessment = describeAssessment(proposal.assessment)
  const close = () => setOpen(undefined)
  return (
    <div className={css['proposalActs']}>
      <ConfirmedButton
        size="small"
        title={`Take “${assessment}”?`}
        verb={`Take “${assessment}”`}
        act={{ ...take, mutate: (_none, then) => take.mutate({}, then) }}
        what={`1 finding of ${proposal.cveId} is then decided by you, as ${nameAuthor(proposal)} proposes.`}
      >
        Take “{assessment}”…
      </ConfirmedButton>
      <Button size="small" aria-haspopup="dialog" onClick={() => setOpen('change')}>
        Change…
      </Button>
      <Button size="small" aria-haspopup="dialog" onClick={() => setOpen('refuse')}>
        Refuse…
      </Button>
      {open === 'change' && (
        <CommandDialog title="Take it with another decision" onClose={close}>
          <ChangeForm proposal={proposal} onDone={close} />
        </CommandDialog>
      )}
      {open === 'refuse' && (
        <CommandDialog title="Refuse the proposal" onClose={close}>
          <RefuseForm proposal={proposal} onDone={close} />
        </CommandDialog>
      )}
    </div>
  )
}

function useTake({ id: proposalId }: DecisionProposal, onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: BodyOf<'takeDecisionProposal'>) =>
      api.post(`${PROPOSAL}/take`, { params: { workspaceId, proposalId }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onDone()
    },
  })
}

interface FormProps {
  proposal: DecisionProposal
  onDone: () => void
}

function ChangeForm({ proposal, onDone }: FormProps) {
  const take = useTake(proposal, onDone)
  const [draft, setDraft] = useState<Draft>(() => readProposal(proposal))
  const fields = useRef<HTMLDivElement>(null)
  const change = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }))
  useDecisionKeys(fields, change, { isOff: false, isUndecided: true })
  const verdict = readDecision(draft)
  return (
    <Form onSubmit={() => verdict && take.mutate({ verdict })} label="Decision in its place">
      <div ref={fields}>
        <DecisionFields draft={draft} isTall isUndecided onChange={change} />
      </div>
      <FormFault error={take.error} said="Not decided." />
      <FormActs>
        <Button type="submit" kind="primary" disabled={!verdict} isBusy={take.isPending}>
          Decide
        </Button>
      </FormActs>
    </Form>
  )
}

const readProposal = ({ assessment, justification, response, detail }: DecisionProposal) =>
  ({
    assessment: assessment === 'NotAssessed' ? undefined : assessment,
    justification,
    response,
    detail: detail ?? '',
  }) as Draft

function RefuseForm({ proposal, onDone }: FormProps) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { save, submit, field } = useForm(
    { reason: '' },
    {
      mutationFn: ({ reason }) =>
        api.post(`${PROPOSAL}/refuse`, {
          params: { workspaceId, proposalId: proposal.id },
          body: { reason },
        }),
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] })
        markSummariesStale(queryClient, workspaceId)
        onDone()
      },
    },
  )
  return (
    <Form onSubmit={submit} label="Refuse the proposal">
      <Textarea
        label="Why"
        description="Whoever proposed it can read this; the finding stays as it is"
        required
        data-autofocus
        autosize
        minRows={2}
        {...field('reason')}
      />
      <FormFault error={save.error} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          Refuse
        </Button>
      </FormActs>
    </Form>
  )
}
