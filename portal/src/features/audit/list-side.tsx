/** The left of the page: the sentence, and the entries day by day. */
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { OlderButton } from '../../components/list-panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { AUDIT_LOG } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeFilter, describeTime, readTime } from './audit-filters.ts'
import css from './audit-page.module.css'
import { EntryList, type EntryListProps } from './entry-list.tsx'
import { Opening } from './opening.tsx'
import { auditCountsQuery, newestQuery } from './queries.ts'
import type { Log } from './use-log.ts'

interface ListSideProps extends Pick<EntryListProps, 'days' | 'onUnfold'> {
  log: Log
}

export function ListSide({ log, days, onUnfold }: ListSideProps) {
  const { list, entries, search, at, change } = log
  return (
    <div className={css['list']} data-scroll="" tabIndex={0}>
      <Head log={log} />
      {list.error && entries.length === 0 && (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Loading rows={10} />}
      {list.isSuccess && entries.length === 0 && <Nothing log={log} />}
      <EntryList
        days={days}
        search={search}
        opened={at}
        hasMore={list.hasNextPage}
        onOpen={(id) => change({ at: id })}
        onUnfold={onUnfold}
      />
      <div className={css['end']} data-paper="none">
        <OlderButton list={list} />
      </div>
      {list.hasNextPage && <Rest log={log} />}
    </div>
  )
}

function Head({ log }: { log: Log }) {
  const { search, filter, entries, list } = log
  const workspaceId = useWorkspaceId()
  const { data: counts } = useQuery(auditCountsQuery(workspaceId, filter))
  const { data: newest } = useQuery(newestQuery(workspaceId, filter))
  const known = new Set(entries.map(({ id }) => id))
  const isHere = list.isSuccess && !list.isFetching
  const news = isHere ? (newest?.entries.filter(({ id }) => !known.has(id)) ?? []) : []
  return (
    <header className={css['head']}>
      <p className={css['filter']} data-paper="only">
        {describeFilter(filter, entries)}
      </p>
      {counts ? <Opening counts={counts} search={search} /> : <p>Counting the entries…</p>}
      {news.length > 0 && entries.length > 0 && (
        <Button size="small" onClick={() => void list.refetch()}>
          {newest?.entries.length === news.length ? `${news.length} or more` : news.length} new
        </Button>
      )}
    </header>
  )
}

/** Says how many entries the filter selects in all. */
function Rest({ log: { filter, entries } }: { log: Log }) {
  const { data: counts } = useQuery(auditCountsQuery(useWorkspaceId(), filter))
  return (
    <p className={css['rest']} data-paper="only">
      These are the newest {formatCount(entries.length)} of{' '}
      {counts ? formatCountOf(counts.count, 'entry', 'entries') : 'more entries'}; the CSV has all.
    </p>
  )
}

function Nothing({ log: { search, change } }: { log: Log }) {
  const inUse = AUDIT_LOG.listFilters(search)
  return (
    <Empty
      title={inUse.length === 0 ? `Nothing was done ${describeTime(search)}` : 'Nothing matches'}
      action={
        <DropFilters filters={inUse} onChange={change}>
          {readTime(search) !== 'any' && (
            <button
              type="button"
              onClick={() => change({ when: 'any', from: undefined, to: undefined })}
            >
              Look at any time
            </button>
          )}
        </DropFilters>
      }
    >
      Every change that a person or a key makes is kept here.
    </Empty>
  )
}
