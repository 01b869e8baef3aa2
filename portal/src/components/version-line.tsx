/** The affected ranges of each source over one axis of versions, with the version we have as a line through all. */
import type { VersionLine as VersionLineData } from '@plimsoll/api-client'
import { formatSource } from '../format/sources.ts'
import css from './version-line.module.css'

const NAME = 96
const LANE = 26
const TOP = 30

/** The places of the stops are even: the axis is not to scale, and says so. */
export function VersionLine({ line }: { line: VersionLineData }) {
  const { stops, lanes } = line
  const place = (index: number) =>
    `calc(${NAME}px + (100% - ${NAME + 24}px) * ${(index + 1) / (stops.length + 1)})`
  const ours = stops.findIndex(({ isOurs }) => isOurs)
  const height = TOP + lanes.length * LANE
  const named = namedStops(line, ours)
  return (
    <figure className={css['line']} aria-label={textOf(line)}>
      <div className={css['chart']} style={{ height: height + 24 }} aria-hidden="true">
        {lanes.map(({ source, stretches }, lane) => (
          <div key={`${source} ${lane}`} className={css['lane']} style={{ top: TOP + lane * LANE }}>
            <span>{formatSource(source)}</span>
            {stretches.map(({ from, to, isToAffected }, index) => (
              <i
                key={index}
                className={`${css['stretch']} ${from === null ? css['open'] : ''}`}
                style={{
                  left: from === null ? NAME : place(from),
                  right: `calc(100% - ${to === null ? '100%' : place(to)})`,
                }}
              >
                {to !== null && <b className={isToAffected ? css['last'] : css['fixed']} />}
              </i>
            ))}
          </div>
        ))}
        {ours >= 0 && (
          <div className={css['ours']} style={{ left: place(ours), height: height - 14 }}>
            <span>{stops[ours]?.text}</span>
          </div>
        )}
        {stops.map(({ text, isOurs }, index) =>
          isOurs || !named.has(index) ? null : (
            <span key={text} className={css['stop']} style={{ left: place(index), top: height }}>
              {text}
            </span>
          ),
        )}
      </div>
      <figcaption>
        <span className={css['affected']}>affected</span>
        <span className={css['firstFixed']}>first fixed</span>
        <span>spacing not to scale</span>
      </figcaption>
    </figure>
  )
}

/** Names stand under the ends of the stretch that ours is in; of the others only as far as there is room. */
function namedStops({ stops, lanes }: VersionLineData, ours: number): ReadonlySet<number> {
  if (stops.length <= 6) return new Set(stops.keys())
  const around = lanes
    .flatMap(({ stretches }) => stretches)
    .filter(({ from, to }) => (from ?? -1) <= ours && (to ?? stops.length) >= ours)
    .flatMap(({ from, to }) => [from, to])
    .filter((index) => index !== null)
  return new Set([...around, 0, stops.length - 1])
}

/** The same for those who do not see it. */
function textOf({ stops, lanes }: VersionLineData): string {
  const name = (index: number | null, open: string) =>
    index === null ? open : (stops[index]?.text ?? '')
  const ours = stops.find(({ isOurs }) => isOurs)?.text
  const ranges = lanes.map(
    ({ source, stretches }) =>
      `${formatSource(source)}: affected ${stretches
        .map(
          ({ from, to, isToAffected }) =>
            `from ${name(from, 'the first')} ${isToAffected ? 'to' : 'before'} ${name(to, 'the newest')}`,
        )
        .join('; ')}`,
  )
  return [`Ours is ${ours ?? 'not placed'}`, ...ranges].join('. ')
}
