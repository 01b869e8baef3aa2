/** The filters of the audit log: from the address to the request. */
import type { AuditSearch } from '../../searches.ts'

export const AUDIT_FILTERS: readonly {
  name: keyof AuditSearch
  label: string
  placeholder?: string
  type?: 'date'
}[] = [
  { name: 'contains', label: 'Text', placeholder: 'in who, what, before or after' },
  { name: 'actor', label: 'By whom', placeholder: 'ines@example.com' },
  { name: 'subject', label: 'About', placeholder: 'vulnerability:CVE-2026-31431' },
  { name: 'action', label: 'What', placeholder: 'sbom.delete' },
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'To', type: 'date' },
]

export interface AuditFilter {
  contains?: string
  actor?: string
  action?: string
  subject?: string
  from?: string
  to?: string
}

/** The days are whole ones, both of them included. */
export function readFilter({
  contains,
  actor,
  action,
  subject,
  from,
  to,
}: AuditSearch): AuditFilter {
  const begin = startOf(from, 0)
  const end = startOf(to, 1)
  return {
    ...(contains !== undefined && { contains }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { to: end }),
  }
}

/** When the day begins, or one some days later, in the reader's zone. undefined: it is no day. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '')
  if (!parts) return undefined
  const [, year, month, date] = parts
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

export function buildExportAddress(
  workspaceId: string,
  filter: AuditFilter,
  format: 'csv' | 'jsonl',
): string {
  const query = new URLSearchParams({ ...filter, format }).toString()
  return `/workspaces/${workspaceId}/audit-log/export?${query}`
}
