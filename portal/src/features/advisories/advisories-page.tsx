/** Advisories for users: drafts, what waits, and what was published. */
import type { SecurityAdvisorySummary } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { advisoriesQuery } from '../../components/advisories/queries.ts'
import {
  ADVISORY_STATE_TONES,
  ADVISORY_STATE_WORDS,
  isWaiting,
} from '../../components/advisories/words.ts'
import { Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { Chip, ChipRow } from '../../components/chip.tsx'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { ADVISORIES, type AdvisoriesSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { type AdvisoryGroup, findGroup, GROUPS, isListed } from './advisory-groups.ts'
import css from './advisories.module.css'
import { NewAdvisory } from './new-advisory.tsx'
import { PublicState } from './public-state.tsx'

const route = getRouteApi('/w/$workspaceId/advisories')

const COLUMNS: readonly Column<SecurityAdvisorySummary>[] = [
  {
    id: 'number',
    title: 'Number',
    width: '150px',
    cell: ({ trackingId }) => (trackingId === null ? <em>none yet</em> : <code>{trackingId}</code>),
  },
  {
    id: 'title',
    title: 'Title',
    width: 'minmax(0, 2fr)',
    cell: ({ title }) => (
      <span title={title}>
        <bdi>{title}</bdi>
      </span>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: 'minmax(0, 1.3fr)',
    cell: (one) => <State one={one} />,
  },
  {
    id: 'vulnerabilities',
    title: 'Vulnerabilities',
    width: 'minmax(0, 1fr)',
    cell: ({ vulnerabilityIds }) => {
      const ids = vulnerabilityIds.join(', ')
      return ids === '' ? <em>none</em> : <code title={ids}>{ids}</code>
    },
  },
  {
    id: 'products',
    title: 'Versions',
    width: 'minmax(0, 1.2fr)',
    cell: ({ productNames }) => {
      const names = productNames.join(', ')
      return names === '' ? <em>none</em> : <span title={names}>{names}</span>
    },
    isWideOnly: true,
  },
  {
    id: 'published',
    title: 'Published',
    width: '150px',
    cell: ({ publishedAt, revision }) =>
      publishedAt === null ? (
        <em>never</em>
      ) : (
        <>
          <Time at={publishedAt} as="date" />, revision {revision}
        </>
      ),
  },
]

function State({ one }: { one: SecurityAdvisorySummary }) {
  const { state, heldUntil, heldReason, missingCount } = one
  if (heldUntil !== null && isWaiting(one))
    return (
      <Dot tone="warn">
        <span title={heldReason ?? ''}>
          waits until <Time at={heldUntil} as="dateTime" />
        </span>
      </Dot>
    )
  return (
    <Dot tone={ADVISORY_STATE_TONES[state]}>
      {ADVISORY_STATE_WORDS[state]}
      {state === 'Draft' &&
        (missingCount === 0 ? ', nothing is missing' : `, ${missingCount} missing`)}
    </Dot>
  )
}

const FILE: ListFile<SecurityAdvisorySummary> = {
  name: 'advisories',
  columns: [
    'id',
    ['number', ({ trackingId }) => trackingId],
    'title',
    'state',
    ['vulnerabilities', ({ vulnerabilityIds }) => vulnerabilityIds.join(' ')],
    ['versions', ({ productNames }) => productNames.join(', ')],
    'heldUntil',
    'heldReason',
    'revision',
    'publishedAt',
    'createdAt',
    'updatedAt',
  ],
}

export function AdvisoriesPage() {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const query = useQuery(advisoriesQuery(workspaceId))
  const mayWrite = useMay('Cases: write')
  const all = query.data?.securityAdvisories
  const rows = all?.filter((one) => isListed(one, search))
  return (
    <>
      <TopBar title="Advisories" />
      <Page>
        <PublicState />
        <Filters all={all} />
        <ListPanel
          query={query}
          rows={rows}
          title="Advisories"
          note={
            rows &&
            `${formatCountOf(rows.length, 'advisory', 'advisories')}, newest first${query.data?.hasMore === true ? '; the newest 500 are shown' : ''}`
          }
          aside={
            <>
              <Law article="14(8)" />
              <Link to="/w/$workspaceId/settings/advisories" params={{ workspaceId }}>
                How they are published
              </Link>
              {mayWrite && <NewAdvisory />}
            </>
          }
          empty={<None search={search} />}
        >
          {(listed) => (
            <ListedTable
              list="advisories"
              csv={FILE}
              label="Advisories"
              cardLines={4}
              columns={COLUMNS}
              rows={listed}
              keyOf={({ id }) => id}
              onOpen={({ id }, go) =>
                go({
                  to: '/w/$workspaceId/advisories/$advisoryId',
                  params: { workspaceId, advisoryId: id },
                })
              }
            />
          )}
        </ListPanel>
        <NoAdvice />
      </Page>
    </>
  )
}

function Filters({ all }: { all: readonly SecurityAdvisorySummary[] | undefined }) {
  const { show, q } = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: Partial<AdvisoriesSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...changes }), replace: true })
  const count = (group: AdvisoryGroup) => all?.filter((one) => findGroup(one) === group).length
  return (
    <div className={css['filters']}>
      <ChipRow label="State">
        {GROUPS.map(({ id, name }) => (
          <Chip
            key={id}
            isOn={show === id}
            onChange={(isOn) => change({ show: isOn ? id : undefined })}
            count={count(id)}
          >
            {name}
          </Chip>
        ))}
      </ChipRow>
      <FilterInput
        aria-label="Filter by number, title, vulnerability or version"
        placeholder="Filter by number, title or CVE"
        value={q}
        onChange={(text) => change({ q: text === '' ? undefined : text })}
      />
    </div>
  )
}

function None({ search }: { search: AdvisoriesSearch }) {
  const navigate = route.useNavigate()
  const filters = ADVISORIES.listFilters(search)
  if (filters.length > 0)
    return (
      <Empty
        title="No advisory by these filters"
        action={
          <DropFilters
            filters={filters}
            onChange={(next) =>
              void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
            }
          />
        }
      />
    )
  return (
    <Empty title="No advisory yet">
      An advisory tells users which versions are affected and what they can do. Draft one on the
      page of a case or of a vulnerability, where two versions are compared, or here of a title
      alone. Nothing leaves the house before somebody publishes it.
    </Empty>
  )
}
