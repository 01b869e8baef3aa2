/** What to decide: the list left, the finding right, like mail. */
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { KeyHints } from '../../components/key-hints.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { countOf } from '../../format/counts.ts'
import { FilterBar } from './filter-bar.tsx'
import { filtersInUse } from './finding-filters.ts'
import { FindingPane } from './finding-pane.tsx'
import css from './findings-page.module.css'
import { type Findings, useFindings } from './use-findings.ts'
import { VulnerabilityList } from './vulnerability-list.tsx'

const HINTS = [
  ['j k', 'move'],
  ['a', 'assess'],
  ['i', 'ignore'],
  ['e', 'evidence'],
  ['n', 'note'],
  ['Enter', 'open'],
  ['?', 'all keys'],
] as const

export function FindingsPage() {
  const isNarrow = useMediaQuery('(max-width: 900px)')
  const findings = useFindings(!isNarrow)
  const { at, index, change, open } = findings
  const [decidedCount, setDecidedCount] = useState(0)
  useHotkeys([
    ['j', () => open(index + 1)],
    ['k', () => open(index - 1)],
    ['Escape', () => change({ at: undefined })],
  ])
  const showsList = !isNarrow || at === undefined
  return (
    <>
      <TopBar title="Findings" />
      {showsList && (
        <FilterBar search={findings.search} filter={findings.filter} onChange={change} />
      )}
      <div className={css['split']}>
        {showsList && <ListSide findings={findings} isNarrow={isNarrow} />}
        {at !== undefined && (
          <PaneSide
            findings={findings}
            at={at}
            isNarrow={isNarrow}
            onDecided={() => setDecidedCount((count) => count + 1)}
          />
        )}
      </div>
      <KeyHints
        hints={HINTS}
        note={decidedCount > 0 ? `${decidedCount} decided this session` : undefined}
      />
    </>
  )
}

interface PaneSideProps {
  findings: Findings
  at: string
  isNarrow: boolean
  onDecided: () => void
}

function PaneSide({ findings, at, isNarrow, onDecided }: PaneSideProps) {
  const { rows, index, total, change, openNext } = findings
  return (
    <FindingPane
      key={at}
      cveId={at}
      row={rows[index]}
      position={index < 0 ? undefined : `${index + 1} of ${total?.totalCount ?? rows.length}`}
      onDecided={() => {
        onDecided()
        openNext()
      }}
      {...(isNarrow && { onClose: () => change({ at: undefined }) })}
    />
  )
}

function ListSide({ findings, isNarrow }: { findings: Findings; isNarrow: boolean }) {
  const { list, rows, at, change, total } = findings
  return (
    <section className={css['list']} aria-label="Vulnerabilities">
      <header className={css['head']}>
        <span role="status">{total ? totalText(total) : 'Loading…'}</span>
      </header>
      {list.isPending && <Loading rows={10} height={56} />}
      {list.error && rows.length === 0 && (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && rows.length === 0 && <NothingHere findings={findings} />}
      {rows.length > 0 && (
        <VulnerabilityList
          rows={rows}
          selected={at}
          onSelect={(cveId) => change({ at: cveId })}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
      {isNarrow && rows.length > 0 && (
        <div className={css['start']}>
          <Button kind="primary" size="touch" onClick={() => change({ at: rows[0]?.cveId })}>
            Start triage
          </Button>
        </div>
      )}
    </section>
  )
}

function totalText({
  totalCount,
  totalCountIsLowerBound,
}: {
  totalCount: number
  totalCountIsLowerBound: boolean
}) {
  const count = countOf(totalCount, 'vulnerability', 'vulnerabilities')
  return totalCountIsLowerBound ? `More than ${count}` : count
}

function NothingHere({ findings: { search, change } }: { findings: Findings }) {
  const inUse = filtersInUse(search)
  if (inUse.length === 0 && search.show === undefined)
    return (
      <Empty title="Nothing to decide">
        Every active finding has an assessment. Versions that could not be judged show as Unknown
        under Firmware.
      </Empty>
    )
  return (
    <Empty
      title="Nothing matches"
      action={
        <div className={css['drop']}>
          {inUse.map(({ name, text }) => (
            <button key={name} type="button" onClick={() => change({ [name]: undefined })}>
              Drop {text}
            </button>
          ))}
          {search.show !== 'all' && (
            <button type="button" onClick={() => change({ show: 'all' })}>
              Show decided ones too
            </button>
          )}
        </div>
      }
    >
      No finding here has all of these at once.
    </Empty>
  )
}
