/** What the device wrote, newest first; new lines appear by themselves until one holds them. */
import type { DeviceLogLine } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { LOG_SEVERITIES } from '../../components/log-severities.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { type DeviceSearch, LOGS } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { formatDateTime, formatUtc } from '../../format/dates.ts'
import css from './devices.module.css'
import { logsQuery } from './queries.ts'

const TAIL_MS = 2000

interface LogsTabProps {
  deviceId: string
  search: DeviceSearch
  onChange: (next: DeviceSearch) => void
}

export function LogsTab({ deviceId, search, onChange }: LogsTabProps) {
  const workspaceId = useWorkspaceId()
  const [isHeld, setIsHeld] = useState(false)
  const { severity: least, text = '' } = search
  const severities = least === undefined ? [] : LOG_SEVERITIES.slice(LOG_SEVERITIES.indexOf(least))
  const logs = useInfiniteQuery({
    ...logsQuery(workspaceId, { deviceId, severities, text }),
    refetchInterval: isHeld ? false : TAIL_MS,
  })
  const showOlder = () => {
    setIsHeld(true)
    void logs.fetchNextPage()
  }
  return (
    <div className={css['stack']}>
      <Filters search={search} onChange={onChange} />
      <Panel
        title="Logs"
        note={isHeld ? 'held: new lines wait' : 'new lines appear by themselves'}
        aside={
          <Button size="small" aria-pressed={isHeld} onClick={() => setIsHeld(!isHeld)}>
            {isHeld ? 'Go on' : 'Hold'}
          </Button>
        }
        isFlush
      >
        {logs.error && <Failure error={logs.error} onRetry={() => void logs.refetch()} />}
        {logs.isPending && <Loading />}
        {logs.data && (
          <Lines
            lines={logs.data.pages.flatMap((page) => page.lines)}
            empty={<NoLines {...{ search, onChange }} />}
          />
        )}
      </Panel>
      {logs.hasNextPage && (
        <Button isBusy={logs.isFetchingNextPage} onClick={showOlder}>
          Show older
        </Button>
      )}
    </div>
  )
}

function Filters({ search, onChange }: Omit<LogsTabProps, 'deviceId'>) {
  return (
    <div className={css['filters']}>
      <FilterInput
        aria-label="Text in the line"
        placeholder="Text in the line"
        value={search.text}
        onChange={(text) => onChange({ text })}
      />
      <ChipRow label="At least">
        {LOG_SEVERITIES.slice(1).map((severity) => (
          <Chip
            key={severity}
            isOn={search.severity === severity}
            onChange={(isOn) => onChange({ severity: isOn ? severity : undefined })}
          >
            {severity === 'Critical' ? severity : `${severity} and worse`}
          </Chip>
        ))}
      </ChipRow>
    </div>
  )
}

function NoLines({ search, onChange }: Omit<LogsTabProps, 'deviceId'>) {
  const inUse = LOGS.listFilters(search)
  return (
    <Empty
      title={inUse.length > 0 ? 'No line matches' : 'No lines'}
      action={<DropFilters filters={inUse} onChange={onChange} />}
    >
      The device sent none, or they are older than they are kept.
    </Empty>
  )
}

function Lines({ lines, empty }: { lines: readonly DeviceLogLine[]; empty: ReactNode }) {
  if (lines.length === 0) return empty
  return (
    <ol className={css['lines']}>
      {lines.map((line) => (
        <Line key={line.id} line={line} />
      ))}
    </ol>
  )
}

function Line({ line: { time, deviceTime, severity, message } }: { line: DeviceLogLine }) {
  return (
    <li className={css[severity]}>
      <time dateTime={time} title={formatUtc(time)}>
        {formatDateTime(time)}
      </time>
      <span>{severity}</span>
      <code>
        {message}
        {deviceTime !== null && (
          <span className={css['clock']} title="The line stands at when it was received">
            {' '}
            its clock said {formatDateTime(deviceTime)}
          </span>
        )}
      </code>
    </li>
  )
}
