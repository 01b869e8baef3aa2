/** Whether a version mends security alone, apart from features; those who may say it choose. */
import { NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FirmwareVersion, WithEntityTag } from '@plimsoll/api-client'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Law } from '../../components/cases/law-mark.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { useMay, useWorkspaceId } from '../../session.ts'

type Answer = FirmwareVersion['securityOnly']

export const describeSecurityOnly = (securityOnly: Answer) =>
  securityOnly === null ? 'not known' : securityOnly ? 'yes' : 'no'

export function SecurityOnly({ version }: { version: FirmwareVersion }) {
  const [isOpen, dialog] = useDisclosure(false)
  const said = describeSecurityOnly(version.securityOnly)
  if (!useMay('Firmware: write')) return said
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`Security only: ${said}`}
        onClick={dialog.open}
      >
        {said}
      </button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Security only: ${version.name}`}>
        <AnswerForm version={version} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

const CHOICES = [
  { value: '', label: 'Nobody has said', answer: null },
  { value: 'yes', label: 'Yes: it mends security alone', answer: true },
  { value: 'no', label: 'No: it brings features or other changes, too', answer: false },
] as const

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'

function AnswerForm({ version, onDone }: { version: FirmwareVersion; onDone: () => void }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('firmware', 'cases')
  const act = useFormAct(onDone)
  const [chosen, setChosen] = useState(
    CHOICES.find(({ answer }) => answer === version.securityOnly)?.value ?? '',
  )
  const params = { workspaceId, firmwareVersionId: version.id }
  const write = (securityOnly: Answer, ifStill: WithEntityTag) =>
    api.patch(VERSION, { params, body: { securityOnly }, ifStill })
  const save = () => {
    const choice = CHOICES.find(({ value }) => value === chosen) ?? CHOICES[0]
    act.send((form) =>
      perform({
        text: `${version.name}, security only: ${describeSecurityOnly(choice.answer)}`,
        form,
        send: async () => {
          const before = await api.get(VERSION, { params })
          const written = await write(choice.answer, before)
          return () => putBack(() => write(before.securityOnly, written))
        },
      }),
    )
  }
  return (
    <Form label="Security only" onSubmit={save}>
      <p>
        <Law article="Annex I, part II, (2)" />
      </p>
      <NativeSelect
        label="Does it mend security alone?"
        description="Advisories that name it as the fix say so"
        data={CHOICES.map(({ value, label }) => ({ value, label }))}
        value={chosen}
        onChange={({ currentTarget: { value } }) =>
          setChosen(CHOICES.find((one) => one.value === value)?.value ?? '')
        }
      />
      <FormFault error={act.error} />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" isBusy={act.isPending}>
          Save
        </Button>
      </FormActs>
    </Form>
  )
}
