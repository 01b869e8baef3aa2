/** What can be done with the selected devices. Each act says before what it will do. */
import { Select, TagsInput, TextInput } from '@mantine/core'
import type { BodyOf } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { CohortMoves } from '../../components/cohort-moves.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { useKeys } from '../../components/keyboard.ts'
import { moveDevices, undoDevices, useMoveAct } from '../../components/move-devices.ts'
import { usePerform } from '../../components/perform.ts'
import { Command, CommandDialog, usePreview } from '../../components/previewed-command.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import type { ListTotal, Selection } from '../../components/selection.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { RotateKeysForm } from './bulk-keys.tsx'
import type { DeviceFilter } from './device-filters.ts'

type Target = { deviceIds: string[] } | { filter: DeviceFilter }
type Act = 'tag' | 'move' | 'keys' | 'delete'

const TITLES: Record<Act, string> = {
  tag: 'Change tags',
  move: 'Change the cohort',
  keys: 'Ask devices to replace their keys',
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
        <Button size="small" aria-haspopup="dialog" onClick={() => setAct('tag')}>
          Tags…
        </Button>
      )}
      {mayMove && (
        <Button size="small" aria-haspopup="dialog" onClick={() => setAct('move')}>
          Cohort…
        </Button>
      )}
      {mayWrite && (
        <Button size="small" aria-haspopup="dialog" onClick={() => setAct('keys')}>
          Replace keys…
        </Button>
      )}
      {mayWrite && (
        <Button size="small" kind="danger" aria-haspopup="dialog" onClick={() => setAct('delete')}>
          Delete…
        </Button>
      )}
      {act && (
        <CommandDialog title={TITLES[act]} onClose={close}>
          {act === 'tag' && <TagForm target={target} onDone={done} />}
          {act === 'move' && <MoveForm target={target} onDone={done} />}
          {act === 'keys' && <RotateKeysForm target={target} onDone={done} />}
          {act === 'delete' && <DeleteForm target={target} onDone={done} />}
        </CommandDialog>
      )}
    </SelectionBar>
  )
}

interface FormProps {
  target: Target
  onDone: () => void
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
  const { preview, data } = usePreview(['tag', target, add, remove], isWhole ? ask : undefined)
  const perform = usePerform('devices', 'deployments')
  const act = useFormAct(onDone)
  const submit = () => {
    const changes = [...add.map((tag) => `+${tag}`), ...remove.map((tag) => `−${tag}`)]
    act.send((form) =>
      perform({
        form,
        text: `Tags of ${formatCountOf(data?.changed ?? 0, 'device')}: ${changes.join(' ')}`,
        send: async () => {
          const { deviceBatchId } = await ask(false)
          return deviceBatchId === null
            ? undefined
            : () => undoDevices(workspaceId, 'tag', deviceBatchId)
        },
      }),
    )
  }
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
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
      <TagsInput
        label="Add"
        data-autofocus
        value={add}
        error={act.findFault('add')}
        splitChars={[',', ' ']}
        onChange={setAdd}
      />
      <TagsInput
        label="Remove"
        value={remove}
        error={act.findFault('remove')}
        splitChars={[',', ' ']}
        onChange={setRemove}
      />
    </Command>
  )
}

const BY_RULE = 'rules'

function MoveForm({ target, onDone }: FormProps) {
  const workspaceId = useWorkspaceId()
  const { data: known } = useQuery(cohortsQuery(workspaceId))
  const [chosen, setChosen] = useState<string | null>(null)
  const cohortId = chosen === BY_RULE ? null : chosen
  const ask = (dryRun: boolean) => moveDevices(workspaceId, { target, cohortId, dryRun })
  const { preview, data } = usePreview(['move', target, chosen], chosen === null ? undefined : ask)
  const move = useMoveAct()
  const act = useFormAct(onDone)
  const submit = () => {
    const cohort = known?.deploymentCohorts.find(({ id }) => id === cohortId)
    const count = data?.matched ?? 0
    act.send((form) => move({ form, target, cohortId, count, cohortName: cohort?.name }))
  }
  const cohorts = known?.deploymentCohorts.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
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
        error={act.findFault('deploymentCohortId')}
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
  const { preview, data } = usePreview(['delete', target], ask)
  const perform = usePerform('devices', 'deployments')
  const act = useFormAct(onDone)
  const submit = () =>
    act.send((form) =>
      perform({
        form,
        text: `${formatCountOf(data?.deleted ?? 0, 'device')} deleted`,
        send: async () => {
          await ask(false)
          return undefined
        },
      }),
    )
  const count = String(data?.deleted ?? '')
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
      button="Delete devices"
      kind="danger"
      isReady={count !== '' && count !== '0' && typed.trim() === count}
      outcome={
        data && (
          <p>
            {formatCountOf(data.deleted, 'device')} with their keys, metrics and logs;{' '}
            {data.connected} of them are connected now. One that connects again is a new device
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
