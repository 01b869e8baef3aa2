import type { FirmwareVersion } from '@plimsoll/api-client'
import { IconAlertTriangle, IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DevicesLink } from '../../components/devices-link.tsx'
import { MarkSentence, MarkSign } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../format/counts.ts'
import type { VersionTab } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { linesQuery } from '../../workspace-queries.ts'
import { ExportMenu } from './export-menu.tsx'
import { VersionLine } from './lines/version-line.tsx'
import { NamedFindings } from './named-findings.tsx'
import { NextStep, useNewer } from './next-step.tsx'
import { SecurityOnly } from './security-only.tsx'
import { AddSbomButton } from './upload.tsx'
import { VersionDeployments } from './version-deployments.tsx'
import { VersionChain } from './version-chain.tsx'
import { VersionImages } from './version-images.tsx'
import css from './version-page.module.css'

interface VersionHeadProps {
  version: FirmwareVersion
  findingCount: number | undefined
  componentCount: number | undefined
  onOpen: (tab: VersionTab) => void
}

export function VersionHead({ version, findingCount, componentCount, onOpen }: VersionHeadProps) {
  const { mark, name, firmware, affectedDeviceCount, createdAt, sbomCount, supportPeriod } = version
  const workspaceId = useWorkspaceId()
  const mayUpload = useMay('SBOMs: write')
  const newer = useNewer(version)
  return (
    <header className={css['head']}>
      <MarkSign state={mark.state} size={48} isBesideWord />
      <div>
        <h2>
          {firmware.name} <code>{name}</code>
        </h2>
        <p className={css['sentence']}>
          <MarkSentence mark={mark} />
          {affectedDeviceCount > 0 && (
            <>
              , on <DevicesLink of={{ version: version.id }} count={affectedDeviceCount} />
            </>
          )}
        </p>
        <p className={css['period']}>{supportPeriod.sentence}.</p>
      </div>
      <div className={css['acts']}>
        {mayUpload && <AddSbomButton versionId={version.id} isPrimary={sbomCount === 0} />}
        <ExportMenu versionId={version.id} />
        <NextStep version={version} />
      </div>
      <div className={css['gate']}>
        <p>Release gate</p>
        <ul>
          {mark.reasons.map(({ rule, verdict, text, count }) => (
            <Reason key={rule} verdict={verdict} name={RULES[rule]}>
              {text}
              {count > 0 && <NamedFindings versionId={version.id} rule={rule} />}
            </Reason>
          ))}
        </ul>
      </div>
      <div className={css['aside']}>
        <dl className={css['facts']}>
          <Fact name="Devices">
            <DevicesLink of={{ version: version.id }} count={affectedDeviceCount} isBare />
          </Fact>
          <Fact name="Findings">
            <button type="button" onClick={() => onOpen('findings')}>
              {findingCount === undefined ? '…' : formatCount(findingCount)}
            </button>
          </Fact>
          <Fact name="Components">
            <button type="button" onClick={() => onOpen('components')}>
              {componentCount === undefined ? '…' : formatCount(componentCount)}
            </button>
          </Fact>
          <LineOfVersion version={version} />
          <Fact name="Security only">
            <SecurityOnly version={version} />
          </Fact>
          <Fact name="Created">
            <Time at={createdAt} as="date" />
          </Fact>
          <Fact name="SBOMs">
            <button type="button" onClick={() => onOpen('sboms')}>
              {formatCount(sbomCount)}
            </button>
          </Fact>
          {newer && (
            <Fact name="Newer">
              <Link
                to="/w/$workspaceId/versions/$versionId"
                params={{ workspaceId, versionId: newer.id }}
              >
                <MarkSign state={newer.mark.state} size={16} /> <code>{newer.name}</code>
              </Link>
            </Fact>
          )}
        </dl>
        <VersionImages versionId={version.id} />
        <VersionDeployments versionId={version.id} />
      </div>
      <VersionChain versionId={version.id} />
    </header>
  )
}

/** Where its firmware has release lines. */
function LineOfVersion({ version }: { version: FirmwareVersion }) {
  const { line, firmware, isNewestOfLine } = version
  const { data } = useQuery(linesQuery(useWorkspaceId(), firmware.id))
  if (!line && (data?.lines ?? []).length === 0) return null
  return (
    <Fact name={line && isNewestOfLine ? 'Newest of' : 'Line'}>
      <VersionLine version={version} firmwareId={firmware.id} />
    </Fact>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const ICONS = {
  Passes: IconCheck,
  Warns: IconAlertTriangle,
  Blocks: IconX,
  Unknown: IconQuestionMark,
}

const RULES: Record<FirmwareVersion['mark']['reasons'][number]['rule'], string> = {
  KnownExploited: 'No known exploited',
  UndecidedCritical: 'No undecided Critical',
  UndecidedHigh: 'No undecided High',
  UnknownSeverity: 'Severities known',
  Sboms: 'SBOM read',
  Components: 'Components looked up',
  Sources: 'Sources read',
  UrgentBySsvc: 'SSVC outcomes allowed',
  Licences: 'Licences allowed',
  Support: 'Components supported',
}

function Reason({
  name,
  verdict,
  children,
}: {
  name: string
  verdict: keyof typeof ICONS
  children: ReactNode
}) {
  const Icon = ICONS[verdict]
  return (
    <li>
      <Icon size={15} className={css[verdict]} role="img" aria-label={verdict} />
      <strong>{name}</strong>
      <span>{children}</span>
    </li>
  )
}
