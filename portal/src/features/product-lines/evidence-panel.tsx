/** One signed file with all that is known of a product line, to be handed over. */
import { TextInput } from '@mantine/core'
import type { ProductLine } from '@plimsoll/api-client'
import { useState } from 'react'
import { Law } from '../../components/cases/law-mark.tsx'
import { Panel } from '../../components/panel.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './product-lines.module.css'

export function EvidencePanel({ line }: { line: ProductLine }) {
  const workspaceId = useWorkspaceId()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const mayRead = [
    useMay('Firmware: read'),
    useMay('SBOMs: read'),
    useMay('Vulnerabilities: read'),
    useMay('Deployments: read'),
    useMay('Devices: read'),
  ].every(Boolean)
  if (!mayRead) return null
  const isBackwards = from !== '' && to !== '' && from > to
  return (
    <Panel title="Evidence" aside={<Law article="13(22), Annex VII" />}>
      <p>
        SBOMs as they were received, findings, decisions, uptake, cases with the exact texts of
        reports, and advisories in one signed file, which standard programs verify. An index says
        what people have to add. The audit log keeps who downloads it.
      </p>
      <div className={`${css['grid']} ${css['apart']}`}>
        <TextInput
          type="date"
          label="From"
          description="Decisions, uptake and roll-outs; empty: from the beginning"
          value={from}
          error={isBackwards && 'It is after the last day'}
          onChange={({ currentTarget: { value } }) => setFrom(value)}
        />
        <TextInput
          type="date"
          label="To"
          description="The last day (UTC), whose findings are shown; empty: now"
          value={to}
          onChange={({ currentTarget: { value } }) => setTo(value)}
        />
      </div>
      {!isBackwards && (
        <p>
          <a href={buildEvidenceAddress(workspaceId, line.id, { from, to })} download>
            Download the bundle
          </a>
        </p>
      )}
    </Panel>
  )
}

/** Of days (UTC), both of which belong to the period. A day that is not over ends now. */
function buildEvidenceAddress(
  workspaceId: string,
  productLineId: string,
  { from, to }: { from: string; to: string },
  now = new Date(),
): string {
  const end = to === '' ? undefined : new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000)
  const query = new URLSearchParams({
    ...(from !== '' && { from: `${from}T00:00:00Z` }),
    ...(end && end < now && { to: end.toISOString() }),
  })
  return `/workspaces/${workspaceId}/product-lines/${productLineId}/evidence?${query.toString()}`
}
