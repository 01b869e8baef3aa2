import { IconDeviceTv } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Page } from '../../components/page.tsx'
import { OpenCases } from '../../components/cases/open-cases.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { meQuery, useWorkspaceId } from '../../session.ts'
import { overviewQuery } from '../../workspace-queries.ts'
import { ExposurePanel } from './exposure-panel.tsx'
import { FirmwareInField } from './firmware-in-field.tsx'
import { FirstSteps } from './first-steps.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Opening } from './opening.tsx'
import css from './overview-page.module.css'

const Wall = lazy(() => import('./wall.tsx'))
/** Only a demo has one. */
const Tour = lazy(() => import('./tour.tsx'))

/** `?wall`: the same on a screen that nobody sits at. */
export function OverviewPage() {
  const { wall } = useSearch({ from: '/w/$workspaceId/' })
  if (wall === undefined) return <OverviewAtDesk />
  return (
    <Suspense fallback={<Loading rows={10} />}>
      <Wall />
    </Suspense>
  )
}

function OverviewAtDesk() {
  const workspaceId = useWorkspaceId()
  const { data: me } = useSuspenseQuery(meQuery)
  const { data, error, refetch } = useQuery(overviewQuery(workspaceId))
  return (
    <>
      <TopBar title="Overview" />
      <Page>
        {/* Also where the figures are slow, or fail. */}
        <OpenCases />
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={10} />}
        {data && (
          <>
            <div className={css['opens']}>
              <Opening devices={data.devices} />
              <div className={css['corner']}>
                {me.tour.length > 0 && (
                  <Suspense>
                    <Tour />
                  </Suspense>
                )}
                <Link
                  to="/w/$workspaceId"
                  params={{ workspaceId }}
                  search={{ wall: '1' }}
                  className={css['toWall']}
                >
                  <IconDeviceTv size={16} aria-hidden="true" /> Wall screen
                </Link>
              </div>
            </div>
            <FirstSteps setup={data.setup} />
            <div className={css['top']}>
              <ExposurePanel devices={data.devices} />
              <NeedsYou needs={data.needsYou} />
            </div>
            <FirmwareInField versions={data.firmwareVersions} total={data.firmwareVersionCount} />
          </>
        )}
      </Page>
    </>
  )
}
