import { Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, versionsQuery } from '../../workspace-queries.ts'
import css from './advisories.module.css'
import type { WrittenVulnerability } from './draft-values.ts'

interface AddVersionProps {
  said: WrittenVulnerability['statuses']
  /** The id of the vulnerability. */
  of: string
  onAdd: (firmwareVersionId: string) => void
}

/** Versions of which nothing is said yet, behind a button: most advisories have all from the start. */
export function AddVersion(props: AddVersionProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  if (!isOpen)
    return (
      <Button
        size="small"
        aria-label={`Say something of another version, ${props.of}`}
        onClick={open}
      >
        Another version…
      </Button>
    )
  return <Choose {...props} onClose={close} />
}

function Choose({ said, of, onAdd, onClose }: AddVersionProps & { onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const [firmwareId, setFirmwareId] = useState('')
  const { data: firmwares } = useQuery(firmwaresQuery(workspaceId))
  const { data: versions } = useQuery(versionsQuery(workspaceId, firmwareId))
  const known = new Set(said.map(({ firmwareVersionId }) => firmwareVersionId))
  const offered = versions?.firmwareVersions.filter(({ id }) => !known.has(id)) ?? []
  return (
    <div className={css['row']}>
      <Select
        label={`Firmware, ${of}`}
        searchable
        data={(firmwares?.firmwares ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={firmwareId === '' ? null : firmwareId}
        onChange={(id) => setFirmwareId(id ?? '')}
      />
      {firmwareId !== '' && (
        <Select
          label={`Version, ${of}`}
          searchable
          data={offered.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          onChange={(id) => id !== null && onAdd(id)}
        />
      )}
      <Button size="small" kind="quiet" onClick={onClose}>
        Done
      </Button>
    </div>
  )
}
