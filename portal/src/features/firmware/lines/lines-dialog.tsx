/** The release lines of a firmware: shown to all, changed by those who may, with what a change would move. */
import type { FirmwareLines, FirmwareLinesPreview, WithEntityTag } from '@plimsoll/api-client'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useFormAct } from '../../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../../components/form.tsx'
import { usePerform } from '../../../components/perform.ts'
import { usePreview } from '../../../components/previewed-command.tsx'
import { putBack } from '../../../components/put-back.ts'
import { describeFailure } from '../../../components/states.tsx'
import { useMay, useWorkspaceId } from '../../../session.ts'
import css from './lines-dialog.module.css'
import {
  describeLinesChange,
  type LineDraft,
  NEW_LINE,
  readDrafts,
  restoreLines,
  writeLines,
} from './line-drafts.ts'

interface LinesProps {
  firmwareId: string
  found: WithEntityTag<FirmwareLines>
}

export function LinesButton(props: LinesProps) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        Release lines
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="Release lines">
        <LinesForm {...props} onSaved={dialog.close} />
      </Dialog>
    </>
  )
}

const TYPING_MS = 300
const LINES = '/workspaces/{workspaceId}/firmwares/{firmwareId}/lines'

function LinesForm({ firmwareId, found, onSaved }: LinesProps & { onSaved: () => void }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('firmware', 'overview', 'findings')
  const act = useFormAct(onSaved)
  const mayWrite = useMay('Firmware: write')
  // The lines that were opened: the page goes on reading the newest.
  const [opened] = useState(found)
  const params = { workspaceId, firmwareId }
  const [lines, setLines] = useState(() => readDrafts(opened))
  const [tried] = useDebouncedValue(lines, TYPING_MS)
  const isWhole = tried.every(({ name }) => name.trim() !== '')
  const { preview, data } = usePreview(
    ['lines', firmwareId, tried],
    isWhole
      ? () => api.post(`${LINES}/preview`, { params, body: { lines: writeLines(tried) } })
      : undefined,
  )
  const put = (place: number, changed: Partial<LineDraft>) =>
    setLines(lines.map((line, at) => (at === place ? { ...line, ...changed } : line)))
  const write = (some: ReturnType<typeof writeLines>, ifStill: WithEntityTag) =>
    api.put(LINES, { params, body: { lines: some }, ifStill })
  const save = () =>
    act.send((form) =>
      perform({
        text: 'Release lines saved',
        form,
        send: async () => {
          const written = await write(writeLines(lines), opened)
          return () => putBack(() => write(restoreLines(opened, written), written))
        },
      }),
    )
  return (
    <Form onSubmit={save} label="Release lines">
      <p className={css['note']}>
        A version belongs to the first line with a pattern that is found in its name:{' '}
        <code>^2\.</code> finds 2.4.1. Each line has its own newest version, and decisions carry
        over within it.
      </p>
      {lines.map((line, place) => (
        <LineFields
          key={line.key}
          line={line}
          place={place}
          isDisabled={!mayWrite}
          faultOf={(member) => act.findFault(`lines/${place}/${member}`)}
          onChange={(changed) => put(place, changed)}
          onMoveUp={() => setLines(moveUp(lines, place))}
          onRemove={() => setLines(lines.toSpliced(place, 1))}
        />
      ))}
      {lines.length === 0 && <p className={css['note']}>No line yet: all versions are one line.</p>}
      {mayWrite && (
        <>
          <Button onClick={() => setLines([...lines, NEW_LINE()])}>Add line</Button>
          <FormFault error={act.error} />
          <FormActs>
            <Outcome preview={preview} data={data} />
            <Button type="submit" kind="primary" isBusy={act.isPending}>
              Save lines
            </Button>
          </FormActs>
        </>
      )}
    </Form>
  )
}

const moveUp = (lines: readonly LineDraft[], place: number) => [
  ...lines.slice(0, place - 1),
  ...lines.slice(place - 1, place + 1).toReversed(),
  ...lines.slice(place + 1),
]

interface OutcomeProps {
  preview: { isFetching: boolean; error: unknown }
  data: FirmwareLinesPreview | undefined
}

function Outcome({ preview: { isFetching, error }, data }: OutcomeProps) {
  return (
    <div role="status" className={css['outcome']}>
      {isFetching && !data && 'Counting…'}
      {error !== null && !isFetching && describeFailure(error)}
      {data && error === null && describeLinesChange(data)}
    </div>
  )
}

const AS_WORKSPACE = { value: '', label: 'As the workspace' }
const GATES = [
  AS_WORKSPACE,
  { value: 'Off', label: 'Off' },
  { value: 'Warn', label: 'Warns' },
  { value: 'Block', label: 'Blocks' },
]
const SUPPORT_RULES = [
  AS_WORKSPACE,
  { value: 'NotAsked', label: 'Nothing' },
  { value: 'NotEnded', label: 'Not ended' },
  { value: 'UntilPromise', label: 'Until the promised day' },
]

/** null: as the workspace says. */
const readGate = <Rule extends string>(value: string, rules: readonly Rule[]) =>
  rules.find((rule) => rule === value) ?? null

interface LineFieldsProps {
  line: LineDraft
  place: number
  isDisabled: boolean
  faultOf: (member: string) => string | undefined
  onChange: (changed: Partial<LineDraft>) => void
  onMoveUp: () => void
  onRemove: () => void
}

function LineFields(props: LineFieldsProps) {
  const { line, place, isDisabled, faultOf, onChange, onMoveUp, onRemove } = props
  const called = line.name.trim() === '' ? `line ${place + 1}` : line.name
  return (
    <fieldset className={css['line']} disabled={isDisabled} aria-label={called}>
      <TextInput
        label="Line"
        placeholder="2.x LTS"
        required
        value={line.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={faultOf('name')}
      />
      <Textarea
        label="Patterns"
        description="One a line; none: only versions that are stated to belong to it"
        placeholder="^2\."
        autosize
        value={line.patterns}
        onChange={(event) => onChange({ patterns: event.currentTarget.value })}
        error={faultOf('patterns')}
      />
      <TextInput
        type="date"
        label="Supported until"
        description="The first day without fixes; empty: as the firmware promises"
        value={line.supportEndsOn}
        onChange={(event) => onChange({ supportEndsOn: event.currentTarget.value })}
        error={faultOf('supportEndsOn')}
      />
      <NativeSelect
        label="Release gate"
        description="What it does with versions of the line"
        data={GATES}
        value={line.releaseGate ?? ''}
        onChange={(event) =>
          onChange({ releaseGate: readGate(event.currentTarget.value, ['Off', 'Warn', 'Block']) })
        }
      />
      <NativeSelect
        label="Support"
        description="What the gate asks of their components"
        data={SUPPORT_RULES}
        value={line.gateSupport ?? ''}
        onChange={(event) =>
          onChange({
            gateSupport: readGate(event.currentTarget.value, [
              'NotAsked',
              'NotEnded',
              'UntilPromise',
            ]),
          })
        }
      />
      {!isDisabled && (
        <div className={css['acts']}>
          {place > 0 && (
            <Button size="small" onClick={onMoveUp} aria-label={`Move up ${called}`}>
              Move up
            </Button>
          )}
          <Button size="small" onClick={onRemove} aria-label={`Remove ${called}`}>
            Remove
          </Button>
        </div>
      )}
    </fieldset>
  )
}
