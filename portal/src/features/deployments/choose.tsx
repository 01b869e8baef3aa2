/** Cohorts and versions to choose from. */
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery, firmwaresQuery, versionsQuery } from '../../workspace-queries.ts'

interface ChoiceProps {
  /** Empty: none is chosen. */
  value: string
  onChange: (id: string | undefined) => void
}

interface NamedSelectProps extends ChoiceProps {
  label: string
  options: readonly { id: string; name: string }[] | undefined
  isDisabled?: boolean
}

function NamedSelect({ label, options = [], value, onChange, isDisabled }: NamedSelectProps) {
  return (
    <Select
      label={label}
      placeholder="Choose"
      searchable
      disabled={isDisabled ?? false}
      value={value === '' ? null : value}
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

export function CohortSelect(choice: ChoiceProps) {
  const { data } = useQuery(cohortsQuery(useWorkspaceId()))
  return <NamedSelect label="Cohort" options={data?.deploymentCohorts} {...choice} />
}

interface VersionSelectProps {
  firmwareId: string
  onFirmware: (id: string | undefined) => void
  versionId: string
  onVersion: (id: string | undefined) => void
  isDisabled?: boolean
}

/** A firmware, then one of its versions. */
export function VersionSelect(props: VersionSelectProps) {
  const { firmwareId, onFirmware, versionId, onVersion, isDisabled = false } = props
  const workspaceId = useWorkspaceId()
  const { data: firmwares } = useQuery(firmwaresQuery(workspaceId))
  const { data: versions } = useQuery(versionsQuery(workspaceId, firmwareId))
  return (
    <>
      <NamedSelect
        label="Firmware"
        options={firmwares?.firmwares}
        value={firmwareId}
        onChange={onFirmware}
      />
      <NamedSelect
        label="Version"
        options={versions?.firmwareVersions}
        value={versionId}
        onChange={onVersion}
        isDisabled={isDisabled || firmwareId === ''}
      />
    </>
  )
}
