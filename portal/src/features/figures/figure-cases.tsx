/** The cases behind a figure. */
import type { FigureCase, FigureName } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import table from '../../components/card-table.module.css'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeValue } from './describe-value.ts'
import css from './figures-page.module.css'
import { type AskedPeriod, figureCasesQuery } from './queries.ts'

const MEASURE_WORDS: Readonly<Record<string, string>> = {
  Half: '50 % of the fleet',
  Ninety: '90 % of the fleet',
  NinetyNine: '99 % of the fleet',
  Within: 'Within target',
  Late: 'Late',
  OpenThen: 'Held before',
  OpenNow: 'Holds at the end',
  Ended: 'Ended',
  Returned: 'Had it again',
  Reopened: 'Decided anew',
  FalsePositive: 'False positive',
}

export function FigureCases({ period, figure }: { period: AskedPeriod; figure: FigureName }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(figureCasesQuery(workspaceId, { ...period, figure }))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={4} />
  const { cases, totalCount } = data
  if (cases.length === 0) return <Empty title="No cases">None is in this period.</Empty>
  return (
    <div className={css['scroll']}>
      <table className={table['table']} aria-label="Cases">
        <caption className={css['definition']}>
          {cases.length < totalCount
            ? `The newest ${cases.length} of ${formatCountOf(totalCount, 'case')}.`
            : `${formatCountOf(totalCount, 'case')}, the newest first.`}
        </caption>
        <thead>
          <tr>
            {['When', 'Vulnerability', 'Severity', 'Firmware', 'What', 'Took', 'Owner', 'Who'].map(
              (title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {cases.map((one) => (
            <Row
              key={`${one.vulnerabilityId} ${one.firmware?.id ?? ''} ${one.measure} ${one.since}`}
              of={one}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ of }: { of: FigureCase }) {
  const workspaceId = useWorkspaceId()
  const { vulnerabilityId: cveId, severity, firmware, measure, at, days, owners, person } = of
  return (
    <tr>
      <td>
        <Time at={at} as="date" />
      </td>
      <td>
        <Link to="/w/$workspaceId/vulnerabilities/$cveId" params={{ workspaceId, cveId }}>
          <code>{cveId}</code>
        </Link>
      </td>
      <td>{severity ?? ''}</td>
      <td>{firmware?.name ?? 'all of the fleet'}</td>
      <td>{MEASURE_WORDS[measure] ?? measure}</td>
      <td>{days === null ? '' : describeValue({ value: days, unit: 'Days' })}</td>
      <td>{owners === null ? 'not kept yet' : owners.join(', ')}</td>
      <td>{person ?? ''}</td>
    </tr>
  )
}
