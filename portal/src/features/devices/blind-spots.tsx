/** What devices report and nobody can judge: versions, which can be taken over, and images that are not those of their versions. */
import type { BlindSpot } from '@plimsoll/api-client'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { formatTotal } from '../../components/selection-bar.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import type { DevicesSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { BLIND_KINDS } from './device-filters.ts'
import css from './devices.module.css'
import { blindSpotsQuery } from './queries.ts'

interface BlindSpotsProps {
  show: DevicesSearch['show']
}

export function BlindSpots({ show }: BlindSpotsProps) {
  const workspaceId = useWorkspaceId()
  const kinds =
    show === 'unregistered' || show === 'otherImage' ? [...BLIND_KINDS[show]] : undefined
  const query = useInfiniteQuery(blindSpotsQuery(workspaceId, kinds ? { kinds } : {}))
  const first = query.data?.pages[0]
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.blindSpots), [query.data])
  return (
    <ListPanel
      query={query}
      rows={rows}
      title="Blind spots"
      note="what devices report and nobody can judge: their findings are not known, or are those of another build"
    >
      {(spots) => (
        <>
          <ul className={css['spots']}>
            {spots.map((spot) => (
              <Spot key={keyOf(spot)} spot={spot} />
            ))}
          </ul>
          {query.hasNextPage && (
            <p className={css['more']}>
              <Button
                size="small"
                isBusy={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Show more
              </Button>{' '}
              {first && `${formatCount(spots.length)} of ${formatTotal(first)} are shown.`}
            </p>
          )}
        </>
      )}
    </ListPanel>
  )
}

const keyOf = ({ slug, version, buildId, imageHash }: BlindSpot) =>
  [slug, version, buildId ?? '', imageHash ?? ''].join(' ')

function Spot({ spot }: { spot: BlindSpot }) {
  const workspaceId = useWorkspaceId()
  const { slug, version, buildId, imageHash, firmwareVersionId, lastSeenAt, firmware, why } = spot
  const name = (
    <>
      <strong>{firmware?.name ?? slug}</strong> <code>{version}</code>
    </>
  )
  return (
    <li>
      <div>
        {firmwareVersionId === null ? (
          name
        ) : (
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersionId }}
          >
            {name}
          </Link>
        )}
        {buildId !== null && (
          <>
            {' '}
            build <code>{buildId}</code>
          </>
        )}
        {imageHash !== null && (
          <>
            {' '}
            image <code title={imageHash}>{shortenHash(imageHash)}</code>
          </>
        )}
        {imageHash !== null && <p>{why}</p>}
        <p>
          <SpotDevices spot={spot} />
          {lastSeenAt !== null && (
            <>
              ; last seen <Time at={lastSeenAt} />
            </>
          )}
        </p>
      </div>
      {firmwareVersionId === null && <Adopt spot={spot} />}
    </li>
  )
}

const SHOWN_DIGITS = 16
const shortenHash = (hash: string) =>
  hash.length > SHOWN_DIGITS ? `${hash.slice(0, SHOWN_DIGITS)}…` : hash

/** How many there are, with a link to all of one image, and one for example. */
function SpotDevices({ spot }: { spot: BlindSpot }) {
  const workspaceId = useWorkspaceId()
  const { deviceCount, exampleDeviceId, imageHash, firmwareVersionId } = spot
  const count = formatCountOf(deviceCount, 'device')
  return (
    <>
      {imageHash === null || firmwareVersionId === null ? (
        count
      ) : (
        <Link
          to="/w/$workspaceId/devices"
          params={{ workspaceId }}
          search={{ show: 'otherImage', image: imageHash, version: firmwareVersionId }}
        >
          {count}
        </Link>
      )}
      , such as{' '}
      <Link
        to="/w/$workspaceId/devices/$deviceId"
        params={{ workspaceId, deviceId: exampleDeviceId }}
      >
        <code>{exampleDeviceId}</code>
      </Link>
    </>
  )
}

function Adopt({ spot }: { spot: BlindSpot }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Firmware: write')
  const adopt = useMutation({
    mutationFn: () => adoptVersion(workspaceId, spot),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
      await navigate({
        to: '/w/$workspaceId/versions/$versionId',
        params: { workspaceId, versionId: id },
        search: { tab: 'sboms' },
      })
    },
  })
  if (!mayWrite) return null
  return (
    <div>
      <Button size="small" isBusy={adopt.isPending} onClick={() => adopt.mutate()}>
        Create this version
      </Button>
      <FormFault error={adopt.error} />
    </div>
  )
}

/** Makes the firmware too where there is none with that slug. */
async function adoptVersion(workspaceId: string, { slug, version, firmware }: BlindSpot) {
  const { id: firmwareId } =
    firmware ??
    (await api.post('/workspaces/{workspaceId}/firmwares', {
      params: { workspaceId },
      body: { slug },
    }))
  return api.post('/workspaces/{workspaceId}/firmwares/{firmwareId}/versions', {
    params: { workspaceId, firmwareId },
    body: { name: version },
  })
}
