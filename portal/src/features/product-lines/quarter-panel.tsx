/** The report of a quarter of a product line, to print or as a table. */
import { NativeSelect } from '@mantine/core'
import type { ProductLine } from '@plimsoll/api-client'
import { useState } from 'react'
import { Panel } from '../../components/panel.tsx'
import { buildQuarterlyReport } from '../../components/reports.ts'
import { listQuarters } from '../../format/quarters.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './product-lines.module.css'

const SHOWN = 12

export function QuarterPanel({ line }: { line: ProductLine }) {
  const workspaceId = useWorkspaceId()
  const mayRead = useMay('Vulnerabilities: read')
  const [current, ...past] = listQuarters(new Date(), SHOWN)
  const [quarter, setQuarter] = useState(past[0] ?? '')
  if (!mayRead) return null
  const asked = { quarter, productLineId: line.id }
  return (
    <Panel title="Quarterly report">
      <p>
        New and closed findings, cases with clocks that were kept or late, submitted reports,
        advisories, versions, devices, and figures. That of a quarter that is over stays as it is.
      </p>
      <div className={css['grid']}>
        <NativeSelect
          label="Quarter"
          data={[
            ...past,
            ...(current === undefined ? [] : [{ value: current, label: `${current}, not over` }]),
          ]}
          value={quarter}
          onChange={({ currentTarget: { value } }) => setQuarter(value)}
        />
      </div>
      <p className={css['links']}>
        <a href={buildQuarterlyReport(workspaceId, asked, 'page')} target="_blank" rel="noopener">
          Page to print
        </a>
        <a href={buildQuarterlyReport(workspaceId, asked, 'table')} download>
          CSV
        </a>
      </p>
    </Panel>
  )
}
