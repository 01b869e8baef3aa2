import { countOf } from '../../format/counts.ts'
import css from './deployments.module.css'
import { NetList } from './net-list.tsx'
import type { Preview } from './queries.ts'

/** What changes on the devices of the cohort, and what the release gate says. */
export function Review({ preview }: { preview: Preview }) {
  const { deviceCount, net, gate, artifacts } = preview
  return (
    <div className={css['steps']}>
      <p>
        <strong>
          {countOf(net.removed.count, 'vulnerability', 'vulnerabilities')} go,{' '}
          {countOf(net.introduced.count, 'comes', 'come')}
        </strong>{' '}
        on {countOf(deviceCount, 'device')}.
      </p>
      {artifacts.map(({ firmware, running, notReportingCount }) => (
        <ul key={firmware.id} className={css['note']}>
          {running.map((one) => (
            <li key={one.firmwareVersion?.id ?? 'unknown'}>
              {countOf(one.deviceCount, 'device')} run{' '}
              {one.firmwareVersion ? (
                <code>{one.firmwareVersion.name}</code>
              ) : (
                'a version that is not known here, so what changes for them cannot be told'
              )}
            </li>
          ))}
          {notReportingCount > 0 && (
            <li>{countOf(notReportingCount, 'device')} never said what they run</li>
          )}
        </ul>
      ))}
      <NetList net={net.introduced} title="What comes" />
      <NetList net={net.removed} title="What goes" />
      <Gate gate={gate} />
    </div>
  )
}

function Gate({ gate }: { gate: Preview['gate'] }) {
  const { mode, blocked, critical, knownExploited } = gate
  if (mode === 'Off') return <p>The release gate of this workspace is off.</p>
  if (critical === 0 && knownExploited === 0)
    return <p>The release gate passes: nothing known exploited, no Critical.</p>
  const found = [
    knownExploited > 0 && `${knownExploited} known exploited`,
    critical > 0 && `${critical} Critical`,
  ].filter((one) => one !== false)
  return (
    <p role="status" className={`${css['banner']} ${blocked ? css['stopped'] : ''}`}>
      <strong>{blocked ? 'The release gate blocks:' : 'The release gate warns:'}</strong>{' '}
      {found.join(', ')}
    </p>
  )
}
