/** The affected ranges of each source, and our versions, on one axis of versions. */
import type { FleetVersionLine } from '@plimsoll/api-client'
import { useElementSize } from '@mantine/hooks'
import type { CSSProperties } from 'react'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { formatSource } from '../../format/sources.ts'
import css from './fleet-line.module.css'
import { chooseLabels, type Label, placeStops } from './line-places.ts'

const NAME = 116
const NARROW_NAME = 72
const NARROW = 520
const LANE = 26
const PRODUCT = 44
const AIR = 24

export interface FleetLineProps {
  line: FleetVersionLine
  /** Sources without a range, and why: silence is not agreement. */
  silent: readonly { source: string; text: string }[]
}

interface Drawn {
  line: FleetVersionLine
  /** Where a stop is, in pixels. */
  placeOf: (stop: number) => number
  name: number
  room: number
}

export function FleetLine({ line, silent }: FleetLineProps) {
  const { ref, width } = useElementSize<HTMLElement>()
  const room = Math.max(width, 300)
  const name = room < NARROW ? NARROW_NAME : NAME
  const places = placeStops(line, [name + AIR, room - AIR])
  const placeOf = (stop: number) => places[stop] ?? name
  const drawn = { line, placeOf, name, room }
  const sources = (line.lanes.length + silent.length) * LANE
  const height = sources + line.firmwares.length * PRODUCT + 8
  const left = { '--name': `${name}px` } as CSSProperties
  return (
    <figure ref={ref} className={css['line']} style={left} aria-label={textOf(line, silent)}>
      <div className={css['chart']} style={{ height: height + 24 }} aria-hidden="true">
        <Guides {...drawn} height={height} />
        {line.lanes.map((lane, index) => (
          <SourceLane key={lane.source} {...drawn} lane={lane} top={index * LANE} />
        ))}
        {silent.map(({ source, text }, index) => (
          <div
            key={source}
            className={`${css['lane']} ${css['silent']}`}
            style={{ top: (line.lanes.length + index) * LANE }}
          >
            <span>{formatSource(source)}</span>
            <em>{text}</em>
          </div>
        ))}
        {line.firmwares.map((own, index) => (
          <FirmwareLane
            key={own.firmware.id}
            {...drawn}
            own={own}
            top={sources + 8 + index * PRODUCT}
          />
        ))}
        <Axis {...drawn} top={height} />
      </div>
      <figcaption>
        <span className={css['affected']}>affected</span>
        <span className={css['firstFixed']}>first fixed</span>
        <span className={css['withDevices']}>ours, with devices</span>
        <span className={css['without']}>ours, on none</span>
        <span className={css['holds']}>ours, holds the fix</span>
        <span>
          {line.otherRangeCount > 0 &&
            `${formatCountOf(line.otherRangeCount, 'range')} of other branches left out · `}
          spacing not to scale
        </span>
      </figcaption>
    </figure>
  )
}

type Lane = FleetVersionLine['lanes'][number]

function SourceLane({ lane, top, placeOf, name, room }: Drawn & { lane: Lane; top: number }) {
  return (
    <div className={css['lane']} style={{ top }}>
      <span>{formatSource(lane.source)}</span>
      {lane.stretches.map(({ from, to, isToAffected }, index) => {
        const left = from === null ? name : placeOf(from)
        const end = to === null ? room : placeOf(to)
        return (
          <i
            key={index}
            className={`${css['stretch']} ${from === null ? css['open'] : ''}`}
            style={{ left, width: Math.max(2, end - left) }}
          >
            {to !== null && <b className={isToAffected ? css['last'] : css['fixed']} />}
          </i>
        )
      })}
    </div>
  )
}

type Firmware = FleetVersionLine['firmwares'][number]

function FirmwareLane({ own, top, ...drawn }: Drawn & { own: Firmware; top: number }) {
  const { placeOf, name, room } = drawn
  const labels = own.places.map(({ stop, firmwareVersions }): Label => ({
    at: placeOf(stop),
    text: namesOf(firmwareVersions),
  }))
  const isShown = chooseLabels(labels, [name, room])
  return (
    <div className={css['lane']} style={{ top }}>
      <span title={own.firmware.name}>{own.firmware.name}</span>
      {own.places.map(({ stop, isFixed, deviceCount }, index) => (
        <div
          key={stop}
          className={`${css['own']} ${isFixed ? css['isFixed'] : ''}`}
          style={{ left: placeOf(stop) }}
        >
          {deviceCount > 0 && !isFixed ? <b>{formatCount(deviceCount)}</b> : <i />}
          {isShown.has(index) && <code>{labels[index]?.text}</code>}
        </div>
      ))}
    </div>
  )
}

function namesOf(versions: readonly { name: string }[]): string {
  const [first, second, ...more] = versions.map(({ name }) => name)
  const rest = more.length > 0 ? ` +${more.length}` : ''
  return [first, second].filter((text) => text !== undefined).join(', ') + rest
}

/** Where a fixed release of a branch begins. */
function listFixedStops({ lanes }: FleetVersionLine): number[] {
  const ends = lanes.flatMap(({ stretches }) =>
    stretches.flatMap(({ to, isToAffected }) => (to === null || isToAffected ? [] : [to])),
  )
  return [...new Set(ends)]
}

function Guides({ line, placeOf, height }: Drawn & { height: number }) {
  return listFixedStops(line).map((stop) => (
    <div key={stop} className={css['guide']} style={{ left: placeOf(stop), height }} />
  ))
}

function Axis({ line, placeOf, name, room, top }: Drawn & { top: number }) {
  const fixed = new Set(listFixedStops(line))
  const ours = new Set(line.firmwares.flatMap(({ places }) => places.map(({ stop }) => stop)))
  const labels = line.stops.map((text, stop): Label => ({
    at: placeOf(stop),
    text,
    weight: fixed.has(stop) ? 2 : ours.has(stop) ? 1 : 0,
  }))
  const isShown = chooseLabels(labels, [name, room])
  return (
    <div className={css['axis']} style={{ top }}>
      {labels.map(({ text, at }, stop) =>
        isShown.has(stop) ? (
          <code key={text} className={fixed.has(stop) ? css['fix'] : ''} style={{ left: at }}>
            {text}
          </code>
        ) : null,
      )}
    </div>
  )
}

/** The same for those who do not see it. */
function textOf(
  { stops, lanes, firmwares, component }: FleetVersionLine,
  silent: FleetLineProps['silent'],
): string {
  const name = (index: number | null, open: string) =>
    index === null ? open : (stops[index] ?? '')
  const ranges = lanes.map(
    ({ source, stretches }) =>
      `${formatSource(source)}: ${component} affected ${stretches
        .map(
          ({ from, to, isToAffected }) =>
            `from ${name(from, 'the first')} ${isToAffected ? 'to' : 'before'} ${name(to, 'the newest')}`,
        )
        .join('; ')}`,
  )
  const silence = silent.map(({ source, text }) => `${formatSource(source)} ${text}`)
  const own = firmwares.map(
    ({ firmware, places }) =>
      `${firmware.name}: ${places
        .map(
          ({ stop, isFixed, deviceCount, firmwareVersions }) =>
            `${namesOf(firmwareVersions)} with ${stops[stop] ?? ''}, ${isFixed ? 'holds the fix' : formatCountOf(deviceCount, 'device')}`,
        )
        .join('; ')}`,
  )
  return [...ranges, ...silence, ...own].join('. ')
}
