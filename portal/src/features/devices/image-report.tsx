import type { Device } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Tag } from '../../components/tag.tsx'
import { useWorkspaceId } from '../../session.ts'
import { IMAGE_WORDS } from './image-words.ts'

/** What it says of the image that runs, and whose that is. */
export function ImageReport({
  firmware: { buildId, image, firmwareVersion },
}: {
  firmware: Device['firmware'][number]
}) {
  const workspaceId = useWorkspaceId()
  const { hash, state, imageOf } = image
  if (firmwareVersion === null && hash === null) return null
  const isBlind = state !== 'Proved' && state !== 'NotReported'
  return (
    <p>
      {isBlind && <Tag tone="warn">{IMAGE_WORDS[state].short}</Tag>} Image:{' '}
      {hash === null && state === 'Proved' && buildId !== null
        ? 'its build id is that of this version'
        : IMAGE_WORDS[state].sentence}
      {hash !== null && (
        <>
          : <code title={hash}>{hash.length > 16 ? `${hash.slice(0, 16)}…` : hash}</code>
        </>
      )}
      {isBlind &&
        imageOf.map(({ id, name, firmware }) => (
          <Fragment key={id}>
            {', that of '}
            <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId: id }}>
              {firmware.name} {name}
            </Link>
          </Fragment>
        ))}
    </p>
  )
}
