/** How devices crash with this version, and what of it no version before had. */
import type { VersionCrashes } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { WithoutLines } from '../../../components/crashes/crash-state.tsx'
import crashes from '../../../components/crashes/crashes.module.css'
import { CrashFree } from '../../../components/crashes/crash-trends.tsx'
import { HowToReport } from '../../../components/crashes/how-to-report.tsx'
import { versionCrashesQuery } from '../../../components/crashes/queries.ts'
import { NOT_COMPARED, Reporting } from '../../../components/crashes/reporting.tsx'
import { ListPanel } from '../../../components/list-panel.tsx'
import { Empty } from '../../../components/states.tsx'
import { Tag, type Tone } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatCountOf } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'

type Crash = VersionCrashes['crashGroups'][number]

export default function CrashesTab({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(versionCrashesQuery(workspaceId, versionId))
  const { data } = query
  return (
    <ListPanel
      query={query}
      rows={data?.crashGroups}
      loadingRows={4}
      title="Crashes"
      note={data && data.crashGroups.length > 0 && describeNew(data)}
      foot={
        data && (
          <>
            <Reporting of={data.reporting} />
            <CrashFree trends={data.trends} />
          </>
        )
      }
      empty={
        <Empty title="No crash of this version is known">
          <HowToReport />
        </Empty>
      }
    >
      {(groups) => (
        <ul className={crashes['rows']}>
          {groups.map((group) => (
            <Row key={group.id} group={group} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

/** "3 of 5 kinds are new: no version before crashed like this; of 1 nobody can tell: the build has no lines" */
function describeNew({ crashGroups, newCount, unknownCount }: VersionCrashes): string {
  const kinds = formatCountOf(crashGroups.length, 'kind')
  const news =
    newCount === 0
      ? `none of ${kinds} is known to be new`
      : `${formatCountOf(newCount, `of ${kinds} is`, `of ${kinds} are`)} new: no version before crashed like this`
  if (unknownCount === 0) return news
  const why = new Set(
    crashGroups.flatMap(({ unknownBecause }) =>
      unknownBecause === null ? [] : [NOT_COMPARED[unknownBecause]],
    ),
  )
  return `${news}; of ${formatCount(unknownCount)} nobody can tell: ${[...why].join('; ')}`
}

const NOVELTIES: Record<Crash['novelty'], { text: string; tone: Tone } | undefined> = {
  New: { text: 'new', tone: 'danger' },
  Unknown: { text: 'perhaps new', tone: 'warn' },
  Known: undefined,
}

function Row({ group }: { group: Crash }) {
  const workspaceId = useWorkspaceId()
  const { id, title, isNamed, frames, novelty, crashCount, deviceCount, lastSeenAt } = group
  const news = NOVELTIES[novelty]
  return (
    <li>
      <div>
        <Link to="/w/$workspaceId/crashes/$crashGroupId" params={{ workspaceId, crashGroupId: id }}>
          {title}
        </Link>{' '}
        {news && <Tag tone={news.tone}>{news.text}</Tag>}{' '}
        {!isNamed && frames.length > 0 && <WithoutLines />}
        <p>
          {formatCountOf(crashCount, 'crash', 'crashes')} on {formatCountOf(deviceCount, 'device')}
          {group.state === 'Closed' && ', marked as fixed'}
        </p>
      </div>
      <span>
        last <Time at={lastSeenAt} />
      </span>
    </li>
  )
}
