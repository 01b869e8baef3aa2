/** Choices among what the workspace has, which keep what was deleted since. */
import { MultiSelect, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormOf } from '../../components/use-form.ts'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery, firmwaresQuery } from '../../workspace-queries.ts'
import type { RulePlan } from './rule-plan.ts'

export type FieldsProps = FormOf<RulePlan>

interface Option {
  value: string
  label: string
}

/** Chosen ones that were deleted since, or are not read yet, stay in the list, so that saving does not drop them. */
export function withMissing(chosen: readonly string[], options: readonly Option[] = []): Option[] {
  const missing = chosen.filter((id) => options.every(({ value }) => value !== id))
  return [...options, ...missing.map((id) => ({ value: id, label: id }))]
}

export function FirmwareField({ values: plan, field }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(firmwaresQuery(workspaceId))
  return (
    <MultiSelect
      label="Only in firmware"
      placeholder={plan.firmwareIds.length === 0 ? 'Any' : undefined}
      searchable
      data={withMissing(
        plan.firmwareIds,
        data?.firmwares.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {...field('firmwareIds')}
    />
  )
}

export function CohortField({ values, field }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(cohortsQuery(workspaceId))
  const { deploymentCohortId: chosen } = values
  return (
    <Select
      label="Only in cohort"
      placeholder="All devices"
      clearable
      searchable
      data={withMissing(
        chosen === null ? [] : [chosen],
        data?.deploymentCohorts.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {...field('deploymentCohortId')}
    />
  )
}
