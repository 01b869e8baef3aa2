/** One figure: its values, what it means, what it does not count, and its parts. */
import type { Figure, FigureGroup, FigureValue } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import table from '../../components/card-table.module.css'
import { Panel } from '../../components/panel.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeValue } from './describe-value.ts'
import css from './figures-page.module.css'
import { MonthsChart } from './months-chart.tsx'

export function FigurePanel({ figure, children }: { figure: Figure; children: ReactNode }) {
  const { id, title, definition, values, groups, notCounted, knownSince } = figure
  return (
    <Panel id={id} title={title} aside={children}>
      <dl className={css['values']}>
        {values.map((value) => (
          <Value key={value.name} value={value} />
        ))}
      </dl>
      <MonthsChart groups={groups.filter(({ by }) => by === 'Month')} />
      <p className={css['definition']}>{definition}</p>
      {knownSince !== null && <p className={css['definition']}>Known since {knownSince}.</p>}
      {notCounted.length > 0 && (
        <ul className={css['unknown']}>
          {notCounted.map(({ reason, count }) => (
            <li key={reason}>
              <strong>{formatCount(count)}</strong> {reason}.
            </li>
          ))}
        </ul>
      )}
      <Parts groups={groups} values={values} />
    </Panel>
  )
}

function Value({ value }: { value: FigureValue }) {
  return (
    <div>
      <dt>{value.title}</dt>
      <dd>
        {describeValue(value)}
        {value.unit !== 'Count' && value.value !== null && (
          <small>{formatCountOf(value.cases, 'case')}</small>
        )}
      </dd>
    </div>
  )
}

const KINDS = [
  { by: 'Severity', title: 'By severity' },
  { by: 'Firmware', title: 'By firmware' },
  { by: 'Outcome', title: 'By SSVC outcome' },
  { by: 'Owner', title: 'By owner' },
  { by: 'Person', title: 'By person' },
  { by: 'Month', title: 'By month' },
] as const

function Parts({ groups, values }: Pick<Figure, 'groups' | 'values'>) {
  return KINDS.map(({ by, title }) => {
    const rows = groups.filter((group) => group.by === by)
    if (rows.length === 0) return null
    return (
      <details key={by} className={css['parts']}>
        <summary>{title}</summary>
        <PartTable rows={rows} values={values} title={title} />
      </details>
    )
  })
}

interface PartTableProps {
  rows: readonly FigureGroup[]
  values: readonly FigureValue[]
  title: string
}

function PartTable({ rows, values, title }: PartTableProps) {
  const shown = values.filter(({ name }) => rows.some((row) => findValue(row, name)))
  return (
    <div className={css['scroll']}>
      <table className={table['table']} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{title.replace('By ', '')}</th>
            {shown.map((value) => (
              <th key={value.name} scope="col">
                {value.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.name}</th>
              {shown.map(({ name }) => {
                const value = findValue(row, name)
                return <td key={name}>{value ? describeValue(value) : ''}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const findValue = (row: FigureGroup, name: string) => row.values.find((one) => one.name === name)

/** Where the list behind a figure is, if it is another page. */
export function OtherList({ figure }: { figure: Figure }) {
  const workspaceId = useWorkspaceId()
  if (figure.id === 'acceptances')
    return (
      <Link to="/w/$workspaceId/accepted-risks" params={{ workspaceId }}>
        Accepted risks
      </Link>
    )
  if (figure.id === 'openCritical')
    return (
      <Link
        to="/w/$workspaceId/findings"
        params={{ workspaceId }}
        search={{ show: 'active', severity: 'Critical' }}
      >
        What is open now
      </Link>
    )
  return null
}
