import { Select } from '@mantine/core'
import type { BodyOf, FirmwareVersion, RoleArtifact } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { CopyText } from '../copy-text.tsx'
import { Form, FormFault } from '../form.tsx'
import { useForm } from '../use-form.ts'
import css from './artifacts.module.css'
import { ADDRESSES, useReadArtifactsAgain } from './queries.ts'
import { readRole, RoleFields, STATED_PART, type StatedRole } from './role-fields.tsx'

const DAYS = [
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '1825', label: '5 years' },
  { value: '3650', label: '10 years' },
]

interface NewAddressProps {
  version: FirmwareVersion
  /** All of the firmware. */
  versions: readonly { id: string; name: string }[]
  artifacts: readonly RoleArtifact[]
}

export function NewAddress({ version, versions, artifacts }: NewAddressProps) {
  const workspaceId = useWorkspaceId()
  const readAgain = useReadArtifactsAgain(version.id)
  const part = artifacts.find(({ role }) => role !== 'image' && role !== 'delta')?.role ?? ''
  const first = { ...STATED_PART, role: part, days: '365' }
  const { save, submit, ...form } = useForm(first, {
    mutationFn: (stated) =>
      api.post(ADDRESSES, {
        params: { workspaceId, firmwareVersionId: version.id },
        body: describeFile(stated),
      }),
    onSuccess: readAgain,
  })
  const { field, findFault } = form
  return (
    <div className={css['within']}>
      <Form onSubmit={submit} label="New standing address">
        <div className={css['row']}>
          <RoleFields form={form} version={version} versions={versions} />
          <Select
            label="Works for"
            data={DAYS}
            allowDeselect={false}
            {...field('days')}
            error={findFault('days')}
          />
          <Button type="submit" isBusy={save.isPending}>
            Make address
          </Button>
        </div>
        <FormFault error={save.error} said="Not made." />
        {save.data && (
          <div className={css['made']} role="status">
            <p>
              Write this address into the description before the build signs it. It stands in the
              list above, too.
            </p>
            <code>{save.data.url}</code>
            <div>
              <CopyText text={save.data.url} label="the new address" />
            </div>
          </div>
        )}
      </Form>
    </div>
  )
}

function describeFile(stated: StatedRole & { days: string }): BodyOf<'createArtifactAddress'> {
  const days = Number(stated.days)
  const { role, baseVersionId } = readRole(stated)
  return {
    days,
    ...(role !== 'image' && { role }),
    ...(baseVersionId !== null && { baseVersionId }),
  }
}
