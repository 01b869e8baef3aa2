/** What this version changed against the one before it, in one line above its findings. */
import type {
  FirmwareVersion,
  FirmwareVersionDiffCounts,
  FirmwareVersionListItem,
} from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Failure } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { versionsQuery } from '../../workspace-queries.ts'
import css from './compare-strip.module.css'
import { DiffBar, findPredecessor, listDiffCounts } from './diff-counts.tsx'
import { describeNet } from './net-sentence.ts'
import { diffCountsQuery } from './queries.ts'
import { describeLicenceChange } from '../../components/licences/licence-change.ts'
import { describeSupportChange } from '../../components/support/support-words.ts'

export function CompareStrip({ version }: { version: FirmwareVersion }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(versionsQuery(workspaceId, version.firmware.id))
  const base = findPredecessor(version, data?.firmwareVersions ?? [])
  // Without an SBOM nothing is known of what changed, and counts of nought would read as safe.
  if (base === undefined || version.sbomCount === 0 || base.sbomCount === 0) return null
  return <Strip versionId={version.id} base={base} />
}

function Strip({ versionId, base }: { versionId: string; base: FirmwareVersionListItem }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(diffCountsQuery(workspaceId, versionId, base.id))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <section className={css['strip']} aria-label={`Compared with ${base.name}`} aria-busy={!data}>
      <span>
        Compared with <code>{base.name}</code>
      </span>
      {data && <Counts counted={data} />}
      <Link
        to="/w/$workspaceId/versions/$versionId"
        params={{ workspaceId, versionId }}
        search={{ tab: 'compare', base: base.id }}
      >
        Open comparison
      </Link>
    </section>
  )
}

function Counts({ counted }: { counted: FirmwareVersionDiffCounts }) {
  const support = describeSupportChange(counted.support)
  const licences = describeLicenceChange(counted.licences)
  return (
    <>
      {listDiffCounts(counted).map(({ name, count }) => (
        <span key={name}>
          {name} <b>{formatCount(count)}</b>
        </span>
      ))}
      <div className={css['bar']}>
        <DiffBar counted={counted} />
      </div>
      <span>{describeNet(counted)}</span>
      {support !== undefined && <span>{support}</span>}
      {licences !== undefined && <span>{licences}</span>}
    </>
  )
}
