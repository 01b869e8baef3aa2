/** What can be done with the selected devices. Each act says before what it will do. */
import { Modal, Select, TagsInput, TextInput } from '@mantine/core'
import type { BodyOf } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { CohortMoves } from '../../components/cohort-moves.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { type ListTotal, SelectionBar } from '../../components/selection-bar.tsx'
import type { Selection } from '../../components/selection.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import type { DeviceFilter } from './device-filters.ts'
import css from './devices.module.css'

type Target = { deviceIds: string[] } | { filter: DeviceFilter }
type Act = 'tag' | 'move' | 'delete'

const TITLES: Record<Act, string> = {
  tag: 'Change tags',
  move: 'Change the cohort',
  delete: 'Delete devices',
}

export interface SelectedDevicesProps {
  selection: Selection
  filter: DeviceFilter
  total: ListTotal
}

export function SelectedDevices({ selection, filter, total }: SelectedDevicesProps) {
  const mayWrite = useMay('Devices: write')
  const mayMove = useMay('Deployments: write')
  const [act, setAct] = useState<Act>()
  useKeys([['Escape', selection.clear]])
  const target = selection.isAll ? { filter } : { deviceIds: [...selection.keys] }
  const close = () => setAct(undefined)
  const done = () => {
    close()
    selection.clear()
  }
  return (
    <SelectionBar selection={selection} total={total}>
      {mayWrite && (
        <Button size="small" onClick={() => setAct('tag')}>
          Tags…
        </Button>
      )}
      {mayMove && (
        <Button size="small" onClick={() => setAct('move')}>
          Cohort…
        </Button>
      )}
      {mayWrite && (
        <Button size="small" kind="danger" onClick={() => setAct('delete')}>
          Delete…
        </Button>
      )}
      {act && (
        <ActDialog act={act} onClose={close}>
          {act === 'tag' && <TagForm target={target} onDone={done} />}
          {act === 'move' && <MoveForm target={target} onDone={done} />}
          {act === 'delete' && <DeleteForm target={target} onDone={done} />}
        </ActDialog>
      )}
    </SelectionBar>
  )
}

interface ActDialogProps {
  act: Act
  onClose: () => void
  children: ReactNode
}

function ActDialog({ act, onClose, children }: ActDialogProps) {
  useReturnedFocus()
  return (
    <Modal opened onClose={onClose} title={TITLES[act]}>
      {children}
    </Modal>
  )
}

interface FormProps {
  target: Target
  onDone: () => void
}

/** Asks for the preview of a command, and does it. `ask` undefined: it is not whole yet. */
function useBulk<Answer>(
  key: readonly unknown[],
  ask: ((dryRun: boolean) => Promise<Answer>) | undefined,
  onDone: () => void,
) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const preview = useQuery({
    queryKey: ['device-bulk', workspaceId, ...key],
    queryFn: () => ask?.(true) ?? Promise.reject(new Error('nothing to ask')),
    enabled: ask !== undefined,
    staleTime: 0,
    retry: false,
  })
  const save = useMutation({
    mutationFn: async () => ask?.(false),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['devices', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] })
      onDone()
    },
  })
  return { preview, save, data: ask && preview.data }
}

interface CommandProps {
  bulk: {
    preview: { isFetching: boolean; error: unknown }
    save: { mutate: () => void; isPending: boolean; error: unknown }
  }
  /** What will happen; undefined: not known yet. */
  outcome: ReactNode
  button: string
  kind?: 'primary' | 'danger'
  isReady: boolean
  children?: ReactNode
}

function Command({ bulk, outcome, button, kind = 'primary', isReady, children }: CommandProps) {
  const { preview, save } = bulk
  return (
    <Form onSubmit={() => save.mutate()}>
      {children}
      <div role="status" className={css['outcome']}>
        {preview.isFetching ? 'Counting…' : outcome}
        {preview.error !== null && !preview.isFetching && describeFailure(preview.error)}
      </div>
      <FormFault error={save.error} />
      <FormActs>
        <Button type="submit" kind={kind} disabled={!isReady} isBusy={save.isPending}>
          {button}
        </Button>
      </FormActs>
    </Form>
  )
}

function TagForm({ target, onDone }: FormProps) {
  const workspaceId = useWorkspaceId()
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const isWhole = add.length + remove.length > 0
  const ask = (dryRun: boolean) =>
    api.post('/workspaces/{workspaceId}/devices/bulk-tag', {
      params: { workspaceId },
      body: { ...target, add, remove, dryRun } satisfies BodyOf<'tagDevices'>,
    })
  const bulk = useBulk(['tag', target, add, remove], isWhole ? ask : undefined, onDone)
  const { data } = bulk
  return (
    <Command
      bulk={bulk}
      button="Change tags"
      isReady={(data?.changed ?? 0) > 0}
      outcome={
        data ? (
          <>
            <p>
              Tags of {formatCountOf(data.changed, 'device')} of {data.matched} change.
            </p>
            <CohortMoves moves={data.moves} none="No device changes its cohort by that." />
          </>
        ) : (
          'Name a tag to add or to remove.'
        )
      }
    >
      <TagsInput label="Add" data-autofocus value={add} splitChars={[',', ' ']} onChange={setAdd} />
      <TagsInput label="Remove" value={remove} splitChars={[',', ' ']} onChange={setRemove} />
    </Command>
  )
}

const BY_RULE = 'rules'

function MoveForm({ target, onDone }: FormProps) {
  const workspaceId = useWorkspaceId()
  const { data: known } = useQuery(cohortsQuery(workspaceId))
  const [chosen, setChosen] = useState<string | null>(null)
  const ask = (dryRun: boolean) =>
    api.post('/workspaces/{workspaceId}/devices/bulk-move', {
      params: { workspaceId },
      body: { ...target, deploymentCohortId: chosen === BY_RULE ? null : chosen, dryRun },
    })
  const bulk = useBulk(['move', target, chosen], chosen === null ? undefined : ask, onDone)
  const { data } = bulk
  const cohorts = known?.deploymentCohorts.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <Command
      bulk={bulk}
      button="Change cohort"
      isReady={data !== undefined}
      outcome={
        data ? (
          <CohortMoves
            moves={data.moves}
            none={`None of ${formatCountOf(data.matched, 'device')} changes its cohort; they are picked by hand from now on.`}
          />
        ) : (
          'Choose where the devices go.'
        )
      }
    >
      <Select
        label="Cohort"
        description="They stay there whatever their tags say. Where its roll-out runs, they get it."
        data={[...cohorts, { value: BY_RULE, label: 'As the tag rules say' }]}
        value={chosen}
        onChange={setChosen}
        searchable
      />
    </Command>
  )
}

function DeleteForm({ target, onDone }: FormProps) {
  const workspaceId = useWorkspaceId()
  const [typed, setTyped] = useState('')
  const ask = (dryRun: boolean) =>
    api.post('/workspaces/{workspaceId}/devices/bulk-delete', {
      params: { workspaceId },
      body: { ...target, dryRun },
    })
  const bulk = useBulk(['delete', target], ask, onDone)
  const count = String(bulk.data?.deleted ?? '')
  return (
    <Command
      bulk={bulk}
      button="Delete devices"
      kind="danger"
      isReady={count !== '' && count !== '0' && typed.trim() === count}
      outcome={
        bulk.data && (
          <p>
            {formatCountOf(bulk.data.deleted, 'device')} with their keys, metrics and logs;{' '}
            {bulk.data.connected} of them are connected now. One that connects again is a new device
            where devices register themselves.
          </p>
        )
      }
    >
      <TextInput
        label={`To delete, type how many devices these are: ${count}`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        inputMode="numeric"
      />
    </Command>
  )
}
