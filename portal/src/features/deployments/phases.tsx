/** The steps of a roll-out: which are done, which one runs, and what the next waits for. */
import { Panel } from '../../components/panel.tsx'
import { formatCount } from '../../format/counts.ts'
import css from './deployments.module.css'
import type { Deployment } from './queries.ts'
import { phaseConditions, totalOf } from './words.ts'

export function Phases({ deployment }: { deployment: Deployment }) {
  const { phases, phase: current } = deployment
  if (phases.length < 2) return null
  const total = totalOf(deployment.deviceUpdateStateCounts)
  return (
    <Panel title="Phases" note="each includes the devices of those before" isFlush>
      <ol className={css['rows']}>
        {phases.map((phase, index) => (
          <li key={index} aria-current={index === current ? 'step' : undefined}>
            <div>
              <strong>
                Phase {index + 1}: {index === phases.length - 1 ? 'everyone' : `${phase.percent} %`}
              </strong>
              <p>up to {formatCount(Math.ceil((total * phase.percent) / 100))} devices</p>
            </div>
            <div className={css['track']}>
              <i
                className={css[lookOf(deployment, index)]}
                style={{ width: current !== null && index <= current ? `${phase.percent}%` : 0 }}
              />
            </div>
            <p>
              {stateOf(deployment, index)}; {phaseConditions(phase, index === phases.length - 1)}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const holds = ({ state }: Deployment) => state === 'Paused' || state === 'Stopped'

function lookOf(deployment: Deployment, index: number): string {
  if (index !== deployment.phase) return ''
  return holds(deployment) ? 'held' : 'now'
}

function stateOf(deployment: Deployment, index: number): string {
  const { phase, isActive } = deployment
  if (phase === null || index > phase) return isActive ? 'comes later' : 'never began'
  if (index < phase) return 'released'
  if (!isActive) return 'was released when it ended'
  return holds(deployment) ? 'held' : 'runs'
}
