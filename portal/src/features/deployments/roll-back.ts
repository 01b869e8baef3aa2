/** The devices of a cohort by what a roll back means for them: who goes back, who stays, and of whom nobody knows. */
import type { Deployment, DeploymentListItem, RollbackPreview } from '@plimsoll/api-client'
import { formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'

type Counts = RollbackPreview['deviceCounts']

/** Those that run other versions get the restored one, too. */
export const countReturns = ({ reporting, installing, other }: Counts): number =>
  reporting + installing + other

/** What is left, and what comes back. */
export function nameRestored({ artifacts }: Pick<RollbackPreview, 'artifacts'>) {
  const left = artifacts.flatMap(({ replaces }) => replaces?.name ?? [])
  return {
    from: left.length === 0 ? 'what is deployed now' : left.join(' and '),
    to: artifacts.map(({ firmwareVersion }) => firmwareVersion.name).join(' and '),
  }
}

export interface ReturnGroup {
  id: 'back' | 'stay' | 'unknown'
  count: number
  text: string
  /** The parts that the group is made of; empty where they say nothing more. */
  parts: string
}

/** Together they are the cohort. */
export function listReturnGroups(
  preview: Pick<RollbackPreview, 'artifacts' | 'deviceCounts'>,
): ReturnGroup[] {
  const { from, to } = nameRestored(preview)
  const { staying, unknown, ...counts } = preview.deviceCounts
  return [
    {
      id: 'back',
      count: countReturns(preview.deviceCounts),
      text: `go back and install ${to}`,
      parts: describeParts(counts, from),
    },
    { id: 'stay', count: staying, text: `stay: they report ${to} already`, parts: '' },
    {
      id: 'unknown',
      count: unknown,
      text: 'report no version that is known',
      parts: unknown === 0 ? '' : `they get ${to} when they ask for it`,
    },
  ]
}

function describeParts(
  { reporting, installing, other }: Pick<Counts, 'reporting' | 'installing' | 'other'>,
  from: string,
): string {
  const parts = [
    reporting > 0 && `${formatCount(reporting)} ${reporting === 1 ? 'reports' : 'report'} ${from}`,
    installing > 0 &&
      `${formatCount(installing)} ${installing === 1 ? 'is installing it and is' : 'are installing it and are'} told to stop`,
    other > 0 && `${formatCount(other)} ${other === 1 ? 'reports' : 'report'} another version`,
  ]
  return parts.filter((part) => part !== false).join('; ')
}

/** What earlier deployments of the cohort brought, and this one does not have: each once, the newest first. */
export function listEarlierVersions(
  history: readonly DeploymentListItem[],
  { id, createdAt, artifacts }: Pick<Deployment, 'id' | 'createdAt' | 'artifacts'>,
): { id: string; text: string }[] {
  const seen = new Set(artifacts.map(({ firmware }) => firmware.firmwareVersion.id))
  const earlier = history.filter(
    (one) => one.id !== id && one.createdAt <= createdAt && one.state !== 'Cancelled',
  )
  return earlier.flatMap((one) =>
    one.artifacts.flatMap(({ firmware: { firmwareVersion: version } }) => {
      if (seen.has(version.id)) return []
      seen.add(version.id)
      const text = `${version.firmware.name} ${version.name}, deployed ${formatDate(one.createdAt)}`
      return [{ id: version.id, text }]
    }),
  )
}
