/** Makes or changes a cohort: its name, and by which tags devices belong to it. */
import type { DeploymentCohort, WithEntityTag } from '@plimsoll/api-client'
import { NumberInput, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { KeyAges } from '../../components/key-ages.tsx'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CohortMoves } from '../../components/cohort-moves.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { pickChanges } from '../../components/merged-values.ts'
import { describeFailure } from '../../components/states.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import { useWorkspaceId } from '../../session.ts'
import { ruleQuery } from './queries.ts'

const RULES = [
  ['all', 'With all of these tags'],
  ['any', 'With at least one of these tags'],
  ['none', 'Without these tags'],
] as const

type Rule = Record<(typeof RULES)[number][0], string[]>

const EMPTY: Rule = { all: [], any: [], none: [] }

export function NewCohort() {
  const [isOpen, dialog] = useDisclosure(false)
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  return (
    <>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        New cohort
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="New cohort">
        <CohortForm
          cohort={undefined}
          onSaved={({ id }) =>
            navigate({
              to: '/w/$workspaceId/deployments/$deploymentCohortId',
              params: { workspaceId, deploymentCohortId: id },
            })
          }
        />
      </Dialog>
    </>
  )
}

export function ChangeCohort({ cohort }: { cohort: WithEntityTag<DeploymentCohort> }) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        Change…
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Change ${cohort.name}`}>
        <CohortForm cohort={cohort} onSaved={dialog.close} />
      </Dialog>
    </>
  )
}

function readCohort(cohort: DeploymentCohort | undefined) {
  return {
    name: cohort?.name ?? '',
    description: cohort?.description ?? '',
    ...EMPTY,
    ...cohort?.tagRule,
    pollingSeconds: cohort?.pollingSeconds ?? ('' as number | ''),
    pollingJitterPercent: cohort?.pollingJitterPercent ?? 0,
    keyRotationDays: cohort?.keyRotationDays ?? ('' as number | ''),
  }
}

type CohortValues = ReturnType<typeof readCohort>

function writeCohort(values: CohortValues) {
  const { description, all, any, none, pollingSeconds, keyRotationDays, ...body } = values
  return {
    ...body,
    description: description === '' ? null : description,
    tagRule: given({ all, any, none }),
    pollingSeconds: pollingSeconds === '' ? null : pollingSeconds,
    keyRotationDays: keyRotationDays === '' ? null : keyRotationDays,
  }
}

const NAMES = {
  all: 'tags of which all are needed',
  any: 'tags of which one is enough',
  none: 'tags that keep devices out',
  pollingSeconds: 'how often hawkBit clients ask',
  pollingJitterPercent: 'earlier or later by up to',
  keyRotationDays: 'after how many days devices replace keys',
}

const COHORTS = '/workspaces/{workspaceId}/deployment-cohorts'
const COHORT = `${COHORTS}/{deploymentCohortId}` as const

function CohortForm({
  cohort,
  onSaved,
}: {
  cohort: WithEntityTag<DeploymentCohort> | undefined
  onSaved: (cohort: DeploymentCohort) => Promise<void> | void
}) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const params = { workspaceId, deploymentCohortId: cohort?.id ?? '' }
  const { save, submit, values, field, meanwhile } = useChangeForm({
    latest: cohort,
    audited: { subject: `deployment-cohort:${params.deploymentCohortId}` },
    readValues: readCohort,
    load: () => api.get(COHORT, { params }),
    send: (typed, ifStill, before): Promise<DeploymentCohort> => {
      const body = writeCohort(typed)
      if (!ifStill) return api.post(COHORTS, { params: { workspaceId }, body })
      return api.patch(COHORT, { params, body: pickChanges(writeCohort(before), body), ifStill })
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] })
      await onSaved(saved)
    },
  })
  return (
    <Form onSubmit={submit}>
      <TextInput label="Name" placeholder="eu-west" required data-autofocus {...field('name')} />
      <TextInput label="Description" {...field('description')} />
      {RULES.map(([part, label]) => (
        <TagsInput key={part} label={label} splitChars={[',', ' ']} {...field(part)} />
      ))}
      <RuleMoves cohort={cohort} rule={given(values)} />
      <p>
        A device is in one cohort at most. Devices that the tags choose belong to it from now on,
        and get what is on its way to it.
      </p>
      <NumberInput
        label="hawkBit clients ask every, in seconds"
        description="Empty: as the workspace has it."
        min={1}
        max={86_399}
        {...field('pollingSeconds')}
      />
      <NumberInput
        label="Earlier or later by up to, in percent"
        description="Each device keeps an interval of its own, so that not all ask at once."
        min={0}
        max={50}
        {...field('pollingJitterPercent', Number)}
      />
      <NumberInput
        label="Devices replace keys after days"
        description="Empty: as the workspace has it. 0: when somebody asks."
        min={0}
        max={3650}
        {...field('keyRotationDays')}
      />
      {cohort && values.keyRotationDays !== '' && (
        <KeyAges days={values.keyRotationDays} cohortId={cohort.id} />
      )}
      <ChangeFault error={save.error} meanwhile={meanwhile} names={NAMES} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          {cohort ? 'Save cohort' : 'Create cohort'}
        </Button>
      </FormActs>
    </Form>
  )
}

const TYPING_MS = 300

/** Says which devices move before the cohort is saved. */
function RuleMoves({
  cohort,
  rule,
}: {
  cohort: DeploymentCohort | undefined
  rule: DeploymentCohort['tagRule']
}) {
  const [asked] = useDebouncedValue(rule, TYPING_MS)
  const isSame = cohort === undefined ? asked === null : isEqual(asked, cohort.tagRule)
  const { data, error, isFetching } = useQuery({
    ...ruleQuery(useWorkspaceId(), cohort?.id, asked),
    enabled: !isSame,
  })
  return (
    <div role="status" aria-busy={isFetching}>
      {isSame && 'The rule chooses whom it chooses now.'}
      {!isSame && error !== null && describeFailure(error)}
      {!isSame && data && (
        <CohortMoves moves={data.moves} none="No device changes its cohort by this rule." />
      )}
    </div>
  )
}

const isEqual = (one: DeploymentCohort['tagRule'], other: DeploymentCohort['tagRule']): boolean =>
  RULES.every(([part]) => String(one?.[part] ?? []) === String(other?.[part] ?? []))

/** Without the parts that name no tag; null where none does, for cohorts whose devices are chosen by hand. */
function given(rule: Rule): Partial<Rule> | null {
  const parts = RULES.flatMap(([part]) =>
    rule[part].length === 0 ? [] : [[part, rule[part]] as const],
  )
  return parts.length === 0 ? null : Object.fromEntries(parts)
}
