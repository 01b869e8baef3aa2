/** A new rule, with what it would have done in the last day while one fills it in. */
import { Modal, MultiSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useWorkspaceId } from '../../session.ts'
import { DryRunResult } from './dry-run-result.tsx'
import { emailTargetsQuery, webhooksQuery } from './queries.ts'
import { RuleFields } from './rule-fields.tsx'
import { FIRST_PLAN, type RuleBody, ruleOf, type RulePlan, type RuleType } from './rule-plan.ts'
import { RULE_TYPES } from './rule-words.ts'

const TYPING_MS = 500

export function NewRule() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" onClick={dialog.open}>
        New rule
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="New rule" size="lg">
        <RuleForm onSaved={dialog.close} />
      </Modal>
    </>
  )
}

function RuleForm({ onSaved }: { onSaved: () => void }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [plan, setPlan] = useState(FIRST_PLAN)
  const change = (next: Partial<RulePlan>) => setPlan((old) => ({ ...old, ...next }))
  const rule = useMemo(() => ruleOf(plan), [plan])
  const [tried] = useDebouncedValue(rule, TYPING_MS)
  const save = useMutation({
    mutationFn: (body: RuleBody) =>
      api.post('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
      onSaved()
    },
  })
  return (
    <Form onSubmit={() => rule && save.mutate(rule)}>
      <Select
        label="Watches"
        allowDeselect={false}
        value={plan.type}
        data={Object.entries(RULE_TYPES).map(([value, label]) => ({ value, label }))}
        onChange={(type) => change({ type: (type ?? plan.type) as RuleType })}
      />
      <RuleFields plan={plan} onChange={change} />
      <TextInput
        label="Name"
        description="The subject of its mails"
        required
        value={plan.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <ChooseTargets targets={plan.targets} onChange={(targets) => change({ targets })} />
      <DryRunResult rule={tried} />
      <FormFault error={save.error} />
      <FormActs>
        <Button
          type="submit"
          kind="primary"
          isBusy={save.isPending}
          disabled={!rule || plan.name.trim() === ''}
        >
          Create rule
        </Button>
      </FormActs>
    </Form>
  )
}

interface ChooseTargetsProps {
  targets: string[]
  onChange: (targets: string[]) => void
}

function ChooseTargets({ targets, onChange }: ChooseTargetsProps) {
  const workspaceId = useWorkspaceId()
  const { data: mails } = useQuery(emailTargetsQuery(workspaceId))
  const { data: hooks } = useQuery(webhooksQuery(workspaceId))
  const all = [...(mails?.notificationTargets ?? []), ...(hooks?.webhooks ?? [])]
  return (
    <MultiSelect
      label="Tells"
      description={all.length === 0 ? 'There is no target yet: make one under Targets' : undefined}
      placeholder="Nobody"
      value={targets}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={onChange}
    />
  )
}
