/** Did the fix land? Devices by day, of the workspace, of one firmware or with one vulnerability; what was rolled out under it. */
import type { Exposure } from '@plimsoll/api-client'
import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ExposureChart } from '../../components/exposure/exposure-chart.tsx'
import { ExposureLegend, VulnerabilityLegend } from '../../components/exposure/exposure-legend.tsx'
import { EXPOSURE_RANGES, listRows } from '../../components/exposure/exposure-rows.ts'
import { FilterInput } from '../../components/filter-input.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatDate } from '../../format/dates.ts'
import type { ExposureSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { exposureQuery, firmwaresQuery } from '../../workspace-queries.ts'
import css from './exposure-page.module.css'
import { describeUptake } from './fix-uptake.ts'
import { DayTable, MarkTable } from './tables.tsx'

export function ExposurePage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/exposure' })
  const { days: range = '90', cve, firmware } = search
  const navigate = useNavigate({ from: '/w/$workspaceId/exposure' })
  const asked = { days: Number(range), cveId: cve, firmwareId: firmware }
  const { data, error, refetch, isPlaceholderData } = useQuery(exposureQuery(workspaceId, asked))
  const change = (next: ExposureSearch) =>
    void navigate({ search: { ...search, ...next }, replace: true })
  return (
    <>
      <TopBar
        title="Exposure"
        trail={[
          <Link key="overview" to="/w/$workspaceId" params={{ workspaceId }}>
            Overview
          </Link>,
        ]}
      />
      <Page>
        <div className={css['asked']}>
          <FilterInput
            label="Vulnerability"
            placeholder="CVE id, or empty for the worst of each device"
            value={cve}
            onChange={(text) => change({ cve: text.trim() })}
          />
          <FirmwareChoice
            value={firmware}
            onChange={(id) => change({ firmware: id ?? undefined })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={[...EXPOSURE_RANGES]}
            value={range}
            onChange={(next) => change({ days: next })}
          />
        </div>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={8} />}
        {data && !error && (
          <div aria-busy={isPlaceholderData} className={css['answer']}>
            <Answer exposure={data} days={asked.days} cve={cve} firmware={firmware} />
          </div>
        )}
      </Page>
    </>
  )
}

interface FirmwareChoiceProps {
  value: string | undefined
  onChange: (id: string | null) => void
}

function FirmwareChoice({ value, onChange }: FirmwareChoiceProps) {
  const { data } = useQuery(firmwaresQuery(useWorkspaceId()))
  return (
    <Select
      label="Firmware"
      placeholder="All"
      searchable
      clearable
      value={value ?? null}
      data={data?.firmwares.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      onChange={onChange}
    />
  )
}

interface AnswerProps {
  exposure: Exposure
  days: number
  cve: string | undefined
  firmware: string | undefined
}

function Answer({ exposure, days, cve, firmware }: AnswerProps) {
  const isOfVulnerability = cve !== undefined
  const sentence = describeUptake(exposure.days, {
    what: isOfVulnerability ? cve : 'known-exploited vulnerabilities',
    countIn: (day) => (isOfVulnerability ? (day.affected ?? 0) : day.exploited),
  })
  return (
    <>
      <p className={css['sentence']} role="status">
        {sentence}
      </p>
      <Panel
        title={isOfVulnerability ? `Devices with ${cve}` : 'Devices by worst active severity'}
        note="releases and roll-outs under the same axis; each leads to its page"
      >
        <Legend exposure={exposure} cve={cve} firmware={firmware} />
        {exposure.days.length < 2 ? (
          <Empty title="One day is no curve yet">
            Counts are kept once a day since {formatDate(exposure.since)}. Tomorrow there is a line.
          </Empty>
        ) : (
          <ExposureChart {...{ exposure, days, isOfVulnerability }} />
        )}
        <DayTable days={exposure.days} isOfVulnerability={isOfVulnerability} />
      </Panel>
      <MarkTable exposure={exposure} />
    </>
  )
}

function Legend({ exposure: { days }, cve = '', firmware }: Omit<AnswerProps, 'days'>) {
  const last = listRows(days.slice(-1), cve !== '')[0]
  if (!last) return null
  const { counts } = last
  if (cve === '') return <ExposureLegend counts={counts} firmwareId={firmware} />
  return <VulnerabilityLegend cveId={cve} counts={counts} firmwareId={firmware} />
}
