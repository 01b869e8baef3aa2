/** Versions that devices report and nobody described: each can be taken over as a version. */
import type { BlindSpot } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'
import { blindSpotsQuery } from './queries.ts'

export function BlindSpots() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(blindSpotsQuery(workspaceId))
  return (
    <ListPanel
      query={query}
      rows={query.data?.blindSpots}
      title="Versions nobody described"
      note="devices report them, but no SBOM says what is inside: their findings are not known"
    >
      {(spots) => (
        <ul className={css['spots']}>
          {spots.map((spot) => (
            <Spot key={`${spot.slug} ${spot.version} ${spot.buildId ?? ''}`} spot={spot} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

function Spot({ spot }: { spot: BlindSpot }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Firmware: write')
  const { slug, version, buildId, deviceCount, lastSeenAt, exampleDeviceId, firmware } = spot
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
  return (
    <li>
      <div>
        <strong>{firmware?.name ?? slug}</strong> <code>{version}</code>
        {buildId !== null && (
          <>
            {' '}
            build <code>{buildId}</code>
          </>
        )}
        <p>
          {formatCountOf(deviceCount, 'device')}, such as{' '}
          <Link
            to="/w/$workspaceId/devices/$deviceId"
            params={{ workspaceId, deviceId: exampleDeviceId }}
          >
            <code>{exampleDeviceId}</code>
          </Link>
          {lastSeenAt !== null && (
            <>
              ; last seen <Time at={lastSeenAt} />
            </>
          )}
        </p>
        <FormFault error={adopt.error} />
      </div>
      {mayWrite && (
        <Button size="small" isBusy={adopt.isPending} onClick={() => adopt.mutate()}>
          Create this version
        </Button>
      )}
    </li>
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
