/** Which files a device is offered, or would be by another version, and why. */
import { Select } from '@mantine/core'
import { type ArtifactOffer, describeOfferReason, type Device } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { describeRole } from '../../components/artifacts/artifact-name.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { formatBytes } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { versionsQuery } from '../../workspace-queries.ts'
import css from './devices.module.css'
import { artifactOfferQuery } from './queries.ts'

export function ArtifactOfferPanel({ device }: { device: Device }) {
  const mayRead = useMay('Deployments: read')
  return mayRead ? <OfferPanel device={device} /> : null
}

const NOW = 'now'

function OfferPanel({ device }: { device: Device }) {
  const workspaceId = useWorkspaceId()
  const [chosen, setChosen] = useState(NOW)
  // A device has one firmware as a rule; of several, the versions of the first are listed.
  const firmware = device.firmware.find(({ firmwareVersion }) => firmwareVersion)?.firmwareVersion
  const { data: listed } = useQuery(versionsQuery(workspaceId, firmware?.firmware.id ?? ''))
  const query = useQuery(
    artifactOfferQuery(workspaceId, device.id, chosen === NOW ? undefined : chosen),
  )
  const versions = (listed?.firmwareVersions ?? []).map(({ id, name }) => ({
    value: id,
    label: `if ${firmware?.firmware.name ?? ''} ${name} were deployed`,
  }))
  return (
    <Panel
      title="Files it is offered"
      aside={
        versions.length > 0 && (
          <Select
            aria-label="Which update"
            size="xs"
            data={[{ value: NOW, label: 'now' }, ...versions]}
            value={chosen}
            allowDeselect={false}
            searchable
            onChange={(value) => setChosen(value ?? NOW)}
          />
        )
      }
      isFlush
    >
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!query.data && !query.error && <Loading rows={1} />}
      {query.data && <Offer offer={query.data} isNow={chosen === NOW} />}
    </Panel>
  )
}

function Offer({ offer, isNow }: { offer: ArtifactOffer; isNow: boolean }) {
  const { artifacts, leftOut, update } = offer
  if (artifacts.length === 0)
    return (
      <p className={css['more']}>
        {isNow
          ? 'None: no deployment that runs has released an update to it.'
          : 'None: the version has no full image, so it cannot be deployed.'}
      </p>
    )
  return (
    <>
      <ul className={css['spots']} aria-label="Files it is offered">
        {artifacts.map((artifact) => (
          <OfferedFile key={`${artifact.firmwareVersionId} ${artifact.role}`} artifact={artifact} />
        ))}
      </ul>
      {leftOut.length > 0 && (
        <p className={css['more']}>
          Not offered: {leftOut.join(', ')}. Its hawkBit client takes one file of a version.
        </p>
      )}
      {update !== null && update.attempt > 1 && (
        <p className={css['more']}>This is attempt {update.attempt}.</p>
      )}
    </>
  )
}

function OfferedFile({ artifact }: { artifact: ArtifactOffer['artifacts'][number] }) {
  const { firmwareVersionId, slug, version, role, fileName, sizeBytes, imageBytes } = artifact
  const workspaceId = useWorkspaceId()
  return (
    <li>
      <div>
        <strong>{describeRole(artifact)}</strong>
        <div>
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersionId }}
            search={{ tab: 'artifacts' }}
          >
            {slug} <code>{version}</code>
          </Link>
        </div>
        <p>{describeOfferReason(artifact)}</p>
        <p>{fileName}</p>
      </div>
      <span className="numbers">
        {formatBytes(sizeBytes)}
        {role === 'delta' && ` in place of ${formatBytes(imageBytes)}`}
      </span>
    </li>
  )
}
