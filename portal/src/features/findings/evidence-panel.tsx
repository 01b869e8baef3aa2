import type { FindingDetail } from '@plimsoll/api-client'
import { IconAlertTriangle, IconCheck, IconMinus } from '@tabler/icons-react'
import { AsRecorded, Compared } from '../../components/as-recorded.tsx'
import { VersionLine } from '../../components/version-line.tsx'
import { Tag } from '../../components/tag.tsx'
import { groupReasons, listReasons, type AgreeingReasons, type Reason } from './evidence.ts'
import css from './finding-parts.module.css'

/** The records that were compared with what the SBOM declares. */
export function EvidencePanel({ finding }: { finding: FindingDetail }) {
  const reasons = listReasons(finding)
  const { confidence, versionLine } = finding
  const { name, version, source } = declaredComponent(finding)
  const entry = `${name}${version === null ? '' : `@${version}`}`
  const first = reasons.find(({ state }) => state === 'agrees')
  return (
    <>
      {first && (
        <p>
          SBOM entry <code>{entry}</code>
          {source !== null && `, of ${source},`} is affected, says {first.source}: {first.range}.{' '}
          {confidence !== 'High' && <Tag tone="warn">{confidence} confidence</Tag>}
        </p>
      )}
      {versionLine !== null && <VersionLine line={versionLine} />}
      <Reasons reasons={reasons} />
    </>
  )
}

/** As the list of a version names it: the shortest name of those that are one package. */
function declaredComponent({ component, components }: FindingDetail): FindingDetail['component'] {
  const [shortest = component] = components.toSorted((a, b) => a.name.length - b.name.length)
  return shortest
}

export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  return (
    <ul className={css['reasons']}>
      {groupReasons(reasons).map(({ first, all, sources }) =>
        all.length === 1 ? (
          <ReasonRow key={first.id} reason={first} />
        ) : (
          <AgreeingRow key={first.id} {...{ first, all, sources }} />
        ),
      )}
    </ul>
  )
}

const ICONS = { agrees: IconCheck, disagrees: IconAlertTriangle, outranked: IconMinus }

/** "3 sources agree", with each of them when it is asked for. */
function AgreeingRow({ first, all, sources }: AgreeingReasons) {
  const Icon = ICONS[first.state]
  const [named, many] =
    sources.length > 1
      ? [sources.join(', '), `${sources.length} sources`]
      : [`${all.length} records`, first.source]
  return (
    <li className={css[first.state]}>
      <Icon size={15} aria-hidden="true" />
      <strong>{many}</strong>
      <span>
        {named} agree: <Compared of={first.compared} /> {first.text}: {first.range}
        <details>
          <summary>What each of them says</summary>
          <ul>
            {all.map((reason) => (
              <ReasonRow key={reason.id} reason={reason} />
            ))}
          </ul>
        </details>
      </span>
    </li>
  )
}

function ReasonRow({ reason }: { reason: Reason }) {
  const Icon = ICONS[reason.state]
  return (
    <li className={css[reason.state]}>
      <Icon size={15} aria-hidden="true" />
      <strong>{reason.source}</strong>
      <span>
        <Compared of={reason.compared} /> {reason.text}: {reason.range}
        {reason.notes.map((note) => (
          <em key={note}>{note}</em>
        ))}
        <AsRecorded facts={reason.raw} />
      </span>
    </li>
  )
}
