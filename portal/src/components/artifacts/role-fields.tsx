/** Fields that say which file of a version is meant. */
import { Select, TextInput } from '@mantine/core'
import type { FormOf } from '../use-form.ts'

const DELTA = { value: 'delta', label: 'A delta' }
const FILES = [
  { value: 'image', label: 'Full image' },
  { value: 'part', label: 'A part, by its role' },
  DELTA,
]

export interface StatedRole {
  file: string
  /** Of a part. */
  role: string
  /** Of a delta. */
  baseVersionId: string
}

export const STATED_IMAGE: StatedRole = { file: 'image', role: '', baseVersionId: '' }
export const STATED_PART: StatedRole = { ...STATED_IMAGE, file: 'part' }

export function readRole({ file, role, baseVersionId }: StatedRole): {
  role: string
  baseVersionId: string | null
} {
  if (file === 'part') return { role: role.trim(), baseVersionId: null }
  return { role: file, baseVersionId: file === 'delta' ? baseVersionId : null }
}

interface RoleFieldsProps {
  form: Pick<FormOf<StatedRole>, 'field' | 'values'>
  version: { id: string }
  /** All of the firmware. */
  versions: readonly { id: string; name: string }[]
  /** Nothing else can be added. */
  isDelta?: boolean
}

export function RoleFields({
  form: { field, values },
  version,
  versions,
  isDelta = false,
}: RoleFieldsProps) {
  const bases = versions.filter(({ id }) => id !== version.id)
  return (
    <>
      <Select
        label="File"
        data={isDelta ? [DELTA] : FILES}
        allowDeselect={false}
        {...field('file')}
      />
      {values.file === 'part' && (
        <TextInput label="Role" placeholder="chunks" required {...field('role')} />
      )}
      {values.file === 'delta' && (
        <Select
          label="It begins with"
          placeholder={bases.length === 0 ? 'no other version' : 'version'}
          data={bases.map(({ id, name }) => ({ value: id, label: name }))}
          required
          searchable
          {...field('baseVersionId')}
          value={values.baseVersionId === '' ? null : values.baseVersionId}
        />
      )}
    </>
  )
}
