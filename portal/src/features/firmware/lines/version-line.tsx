/** To which release line a version belongs; those who may state or correct it. */
import type { FirmwareLines, FirmwareVersionListItem, WithEntityTag } from '@plimsoll/api-client'
import { NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useFormAct } from '../../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../../components/form.tsx'
import { usePerform } from '../../../components/perform.ts'
import { putBack } from '../../../components/put-back.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import { linesQuery } from '../../../workspace-queries.ts'
import css from './lines-dialog.module.css'

type Lined = Pick<FirmwareVersionListItem, 'id' | 'name' | 'line' | 'statedLineId'>

interface VersionLineProps {
  version: Lined
  firmwareId: string
}

/** The name of the line; for those who may change it, a button. */
export function VersionLine({ version, firmwareId }: VersionLineProps) {
  const [isOpen, dialog] = useDisclosure(false)
  const name = version.line?.name ?? 'none'
  if (!useMay('Firmware: write')) return name
  return (
    <>
      <button
        type="button"
        className={css['link']}
        aria-haspopup="dialog"
        aria-label={`Release line of ${version.name}: ${name}`}
        onClick={dialog.open}
      >
        {name}
      </button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Release line of ${version.name}`}>
        <OpenedLine version={version} firmwareId={firmwareId} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

function OpenedLine(props: VersionLineProps & { onDone: () => void }) {
  const { data } = useQuery(linesQuery(useWorkspaceId(), props.firmwareId))
  if (!data) return <p role="status">Reading the lines…</p>
  return <LineForm {...props} lines={data.lines} />
}

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'

/** States it; the notice has the way back. */
function useStateLine(version: Lined, onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('firmware', 'findings', 'overview')
  const act = useFormAct(onDone)
  const params = { workspaceId, firmwareVersionId: version.id }
  const write = (statedLineId: string | null, ifStill: WithEntityTag) =>
    api.patch(VERSION, { params, body: { statedLineId }, ifStill })
  const send = (statedLineId: string | null, text: string) =>
    act.send((form) =>
      perform({
        text,
        form,
        send: async () => {
          const before = await api.get(VERSION, { params })
          if (before.statedLineId !== version.statedLineId)
            throw new Error('Somebody has stated another line meanwhile: look at it again.')
          const written = await write(statedLineId, before)
          return () => putBack(() => write(before.statedLineId, written))
        },
      }),
    )
  return { send, isPending: act.isPending, error: act.error, findFault: act.findFault }
}

const BY_NAME = { value: '', label: 'By its name: the first line with a pattern that fits' }

interface LineChoiceProps {
  lines: FirmwareLines['lines']
  value: string
  error?: string | undefined
  onChange: (lineId: string) => void
}

/** The lines of a firmware; empty: as patterns say. */
export function LineChoice({ lines, value, error, onChange }: LineChoiceProps) {
  return (
    <NativeSelect
      label="Release line"
      description="What is stated comes before patterns"
      data={[BY_NAME, ...lines.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface LineFormProps extends VersionLineProps {
  lines: FirmwareLines['lines']
  onDone: () => void
}

function LineForm({ version, lines, onDone }: LineFormProps) {
  const [lineId, setLineId] = useState(version.statedLineId ?? '')
  const state = useStateLine(version, onDone)
  const stated = lines.find(({ id }) => id === lineId)
  const text = stated
    ? `${version.name} belongs to ${stated.name}`
    : `${version.name} belongs to the line that its name says`
  return (
    <Form label="Release line" onSubmit={() => state.send(lineId === '' ? null : lineId, text)}>
      <p className={css['note']}>
        {version.statedLineId === null
          ? `Its name says: ${version.line?.name ?? 'none, as no pattern fits'}.`
          : `Stated: ${version.line?.name ?? 'none'}.`}
      </p>
      <LineChoice
        lines={lines}
        value={lineId}
        error={state.findFault('statedLineId')}
        onChange={setLineId}
      />
      <p className={css['note']}>
        The newest version, the release gate and the end of support follow from the line at once.
        Decisions that were carried over stay; versions to come take over within their line.
      </p>
      <FormFault error={state.error} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={state.isPending}>
          Save the line
        </Button>
      </FormActs>
    </Form>
  )
}
