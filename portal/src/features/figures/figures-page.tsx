/** What an auditor asks of a period: each figure with its definition, the cases behind it, and what it does not count. */
import { FIGURE_NAME, type Figures } from '@plimsoll/api-client'
import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { buildQuarterlyReport } from '../../components/reports.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import type { FiguresSearch } from '../../searches.ts'
import { formatCountOf } from '../../format/counts.ts'
import { nameLastQuarter } from '../../format/quarters.ts'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, linesQuery } from '../../workspace-queries.ts'
import { FigureCases } from './figure-cases.tsx'
import { FigurePanel, OtherList } from './figure-panel.tsx'
import css from './figures-page.module.css'
import { findPeriods } from './periods.ts'
import { type AskedPeriod, buildFiguresAddress, figuresQuery } from './queries.ts'

const useChange = () => {
  const navigate = useNavigate({ from: '/w/$workspaceId/figures' })
  return (next: FiguresSearch) =>
    void navigate({ search: (search) => ({ ...search, ...next }), replace: true })
}

export function FiguresPage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/figures' })
  const usual = findPeriods(new Date()).year
  const period: AskedPeriod = {
    from: search.from ?? usual.from,
    to: search.to ?? usual.to,
    firmwareId: search.firmware,
    line: search.firmware === undefined ? undefined : search.line,
  }
  const { data, error, refetch, isPlaceholderData } = useQuery(figuresQuery(workspaceId, period))
  return (
    <>
      <TopBar
        title="Figures"
        trail={[
          <Link key="overview" to="/w/$workspaceId" params={{ workspaceId }}>
            Overview
          </Link>,
        ]}
      />
      <Page>
        <Asked period={period} />
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={8} />}
        {data && !error && (
          <div aria-busy={isPlaceholderData} className={css['answer']}>
            <Answer figures={data} period={period} />
          </div>
        )}
      </Page>
    </>
  )
}

function Asked({ period }: { period: AskedPeriod }) {
  const workspaceId = useWorkspaceId()
  const change = useChange()
  const { data } = useQuery(firmwaresQuery(workspaceId))
  const periods = findPeriods(new Date())
  return (
    <div className={css['asked']}>
      <TextInput
        type="date"
        label="From"
        value={period.from}
        onChange={({ currentTarget: { value } }) => value !== '' && change({ from: value })}
      />
      <TextInput
        type="date"
        label="To"
        value={period.to}
        onChange={({ currentTarget: { value } }) => value !== '' && change({ to: value })}
      />
      <Select
        label="Firmware"
        placeholder="All"
        searchable
        clearable
        value={period.firmwareId ?? null}
        data={data?.firmwares.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        onChange={(id) => change({ firmware: id ?? undefined, line: undefined })}
      />
      {period.firmwareId !== undefined && (
        <LineOfFirmware {...period} firmwareId={period.firmwareId} />
      )}
      <div className={css['periods']}>
        {[periods.lastQuarter, periods.quarter, periods.year].map(({ name, from, to }) => (
          <Button
            key={name}
            size="small"
            aria-pressed={from === period.from && to === period.to}
            onClick={() => change({ from, to })}
          >
            {name}
          </Button>
        ))}
        <a href={buildFiguresAddress(workspaceId, 'report', period)} target="_blank" rel="noopener">
          Page to print
        </a>
        <a href={buildFiguresAddress(workspaceId, 'export', period)} download>
          CSV
        </a>
        <a
          href={buildQuarterlyReport(workspaceId, { quarter: nameLastQuarter(new Date()) }, 'page')}
          target="_blank"
          rel="noopener"
        >
          Report of the last quarter
        </a>
      </div>
    </div>
  )
}

function LineOfFirmware({ firmwareId, line }: { firmwareId: string; line: string | undefined }) {
  const workspaceId = useWorkspaceId()
  const change = useChange()
  const { data } = useQuery(linesQuery(workspaceId, firmwareId))
  if (!data || data.lines.length === 0) return null
  return (
    <Select
      label="Release line"
      placeholder="All"
      clearable
      value={line ?? null}
      data={data.lines.map(({ name }) => name)}
      onChange={(name) => change({ line: name ?? undefined })}
    />
  )
}

function Answer({ figures, period }: { figures: Figures; period: AskedPeriod }) {
  const { figure: opened } = useSearch({ from: '/w/$workspaceId/figures' })
  const change = useChange()
  const { isClosed, caseDefinition, deletedSince } = figures
  return (
    <>
      <p className={css['definition']} role="status">
        {isClosed
          ? 'This period is over: its figures stay as they are.'
          : 'This period is not over: its figures still change.'}{' '}
        {deletedSince > 0 &&
          `Deleted since it began, and in no figure: ${formatCountOf(deletedSince, 'firmware or version', 'firmwares or versions')}. `}
        {caseDefinition}
      </p>
      {figures.figures.map((figure) => {
        const name = FIGURE_NAME.find((id) => id === figure.id)
        const isOpened = figure.id === opened
        return (
          <div key={figure.id} className={css['answer']}>
            <FigurePanel figure={figure}>
              <OtherList figure={figure} />
              {figure.id !== 'openCritical' && (
                <Button
                  size="small"
                  kind="quiet"
                  aria-expanded={isOpened}
                  onClick={() => change({ figure: isOpened ? undefined : name })}
                >
                  {isOpened ? 'Hide cases' : 'Cases'}
                </Button>
              )}
            </FigurePanel>
            {isOpened && name !== undefined && name !== 'openCritical' && (
              <FigureCases period={period} figure={name} />
            )}
          </div>
        )
      })}
    </>
  )
}
