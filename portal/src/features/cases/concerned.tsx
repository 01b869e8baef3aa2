/** Whom a case concerns: product lines with their Member States, versions, and the devices that report them now. */
import type { ProductLine } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Law } from '../../components/cases/law-mark.tsx'
import { nameMemberState, nameMemberStates } from '../../components/cases/member-states.ts'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { DevicesLink } from '../../components/devices-link.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CasePart } from './act.ts'
import css from './cases.module.css'
import { addLines, addVersions, removeLine } from './stating-acts.ts'
import { useOfferedVersions } from './offered-versions.ts'

export function Concerned({ one, onAct, all }: CasePart & { all: readonly ProductLine[] }) {
  const workspaceId = useWorkspaceId()
  const { productLines, memberStates, coordinatorStates, versions, deviceCount } = one
  const isEnded = one.state === 'Closed' || one.state === 'Dismissed'
  const offered = useOfferedVersions(all, one)
  return (
    <Panel
      title="Whom it concerns"
      note={`${formatCountOf(versions.length, 'version')}, ${formatCountOf(deviceCount, 'device')} now`}
    >
      <dl className={css['terms']}>
        <dt>Product lines</dt>
        <dd>
          {productLines.length === 0
            ? 'not known'
            : productLines.map(({ id, name }, index) => (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link
                    to="/w/$workspaceId/product-lines/$productLineId"
                    params={{ workspaceId, productLineId: id }}
                  >
                    {name}
                  </Link>
                </span>
              ))}
        </dd>
        <dt>Member States</dt>
        <dd>
          {nameMemberStates(memberStates) ?? 'not known'} <Law article="14(2)(a), 14(4)(a)" />
        </dd>
        <dt>Coordinator</dt>
        <dd>
          {coordinatorStates.length === 0
            ? 'not known'
            : coordinatorStates.map(nameMemberState).join(', ')}{' '}
          <Law article="14(7)" />
        </dd>
      </dl>
      {versions.length === 0 && (
        <p className={css['note']}>
          No version is known to be concerned: no list named it, and nobody has.
        </p>
      )}
      <ul className={css['concerned']}>
        {versions.map((version) => (
          <Version key={version.firmwareVersionId} version={version} />
        ))}
      </ul>
      {!isEnded && (
        <ActButtons
          size="small"
          acts={[
            { act: addLines({ workspaceId, one }, all), label: 'Add product lines…' },
            ...(productLines.length > 0
              ? [{ act: removeLine({ workspaceId, one }), label: 'Remove a line…' }]
              : []),
            {
              act: addVersions({ workspaceId, one }, offered.versions),
              label: 'Add versions…',
              ...(offered.blocked !== undefined && { blocked: offered.blocked }),
            },
          ]}
          onAct={onAct}
        />
      )}
    </Panel>
  )
}

function Version({ version: of }: { version: CasePart['one']['versions'][number] }) {
  const workspaceId = useWorkspaceId()
  const { firmwareVersionId, firmware, version, components, deviceCount, isDeployed } = of
  const name = `${firmware} ${version}`
  const parts = components.map(({ name: component, version: number, assessment }) =>
    [component, number, assessment === null ? '' : `(${describeAssessment(assessment)})`]
      .filter((part) => part !== null && part !== '')
      .join(' '),
  )
  return (
    <li>
      <span>
        {deviceCount === null ? (
          `${name}, deleted since`
        ) : (
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersionId }}
          >
            {name}
          </Link>
        )}{' '}
        <span className={css['note']}>{parts.join(', ')}</span>
      </span>
      {isDeployed && <Tag>deployed</Tag>}
      {deviceCount !== null && (
        <DevicesLink of={{ version: firmwareVersionId }} count={deviceCount} />
      )}
    </li>
  )
}
