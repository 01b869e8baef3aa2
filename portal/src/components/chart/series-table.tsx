import { formatInstant, formatUtc } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import { Button } from '../button.tsx'
import { saveRows } from '../download-csv.ts'
import css from './series-chart.module.css'
import { type ChartSeries, listRows } from './series-shape.ts'

/** The chart in numbers, newest first. */
export function SeriesTable({ label, series }: { label: string; series: readonly ChartSeries[] }) {
  const rows = listRows(series).toReversed()
  const save = () =>
    saveRows(
      {
        name: label.replaceAll(/[^\w.-]+/g, '-'),
        columns: [
          ['time', ({ at }) => new Date(at).toISOString()],
          ...series.map(
            ({ name }, index) =>
              [name, ({ values }: (typeof rows)[number]) => values[index] ?? null] as const,
          ),
        ],
      },
      rows,
    )
  return (
    <>
      <div className={css['table']} tabIndex={0} role="region" aria-label={`${label} as a table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, values }) => (
              <tr key={at}>
                <th scope="row" title={formatUtc(new Date(at))}>
                  {formatInstant(at)}
                </th>
                {series.map(({ name }, index) => (
                  <td key={name}>
                    {values[index] === undefined ? 'no data' : formatValue(values[index])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Button size="small" onClick={save}>
        Save as CSV
      </Button>
    </>
  )
}
