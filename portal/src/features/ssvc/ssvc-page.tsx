/** What SSVC decides by: what is known of products and cohorts, and the tree. What is changed can be tried out before it holds. */
import type { SsvcSettings } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findAuditLog } from '../../components/addresses.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Form } from '../../components/form.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { ssvcQuery } from '../../components/ssvc/queries.ts'
import { ChangePanel } from './change-panel.tsx'
import { CohortsPanel } from './cohorts-panel.tsx'
import { ProductsPanel } from './products-panel.tsx'
import css from './ssvc.module.css'
import { applyChanges, type Changes, isSame, NO_CHANGES } from './stated.ts'
import { treesQuery } from './queries.ts'
import { TargetsPanel } from './targets-panel.tsx'
import { TreesPanel } from './trees-panel.tsx'
import { useApply } from './use-apply.ts'

export function SsvcPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(ssvcQuery(workspaceId))
  const error = findBlockingError(query)
  return (
    <>
      <TopBar
        title="How urgent: SSVC"
        trail={[
          <Link key="settings" to="/w/$workspaceId/settings" params={{ workspaceId }}>
            Settings
          </Link>,
        ]}
      />
      <Page>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!query.data && !error && <Loading />}
        {query.data && <Stating settings={query.data} />}
      </Page>
    </>
  )
}

function Stating({ settings }: { settings: SsvcSettings }) {
  const [changes, setChanges] = useState<Changes>(NO_CHANGES)
  const mayWrite = useMay('Workspace settings: write')
  const trees = useQuery(treesQuery(useWorkspaceId()))
  const tree = changes.tree ?? settings.tree
  const outcomes = trees.data?.trees.find(({ id }) => id === tree)?.outcomes ?? settings.outcomes
  const stated = applyChanges(settings, changes, outcomes)
  const isChanged = !isSame(stated, settings)
  const apply = useApply(changes, outcomes, () => setChanges(NO_CHANGES))
  const change = (some: Partial<Changes>) => setChanges((old) => ({ ...old, ...some }))
  return (
    <Form
      label="What SSVC decides by"
      onSubmit={() => {
        if (isChanged && mayWrite) apply.apply()
      }}
    >
      {/* For the question about what is not saved, which looks at the values of fields. */}
      <input type="hidden" value={stated.tree} />
      <What settings={settings} />
      <div className={css['columns']}>
        <div className={css['stack']}>
          <ProductsPanel
            stated={stated}
            error={apply.error}
            onChange={(firmwareId, product) =>
              change({ products: { ...changes.products, [firmwareId]: product } })
            }
          />
          <CohortsPanel
            stated={stated}
            error={apply.error}
            onChange={(cohortId, exposure) =>
              change({ exposures: { ...changes.exposures, [cohortId]: exposure } })
            }
            onManyDevices={(manyDevices) => change({ manyDevices })}
          />
          <TreesPanel
            holding={settings.tree}
            chosen={stated.tree}
            mayAdd={mayWrite}
            onChoose={(chosen) => change({ tree: chosen })}
          />
          <TargetsPanel
            outcomes={outcomes}
            targetDays={stated.targetDays}
            gateFrom={stated.gateFrom}
            onGateFrom={(gateFrom) => change({ gateFrom })}
            error={apply.error}
            onChange={(outcome, days) =>
              change({ targetDays: { ...changes.targetDays, [outcome]: days } })
            }
          />
        </div>
        <ChangePanel
          settings={settings}
          stated={stated}
          outcomes={outcomes}
          isChanged={isChanged}
          mayWrite={mayWrite}
          apply={apply}
          onDiscard={() => {
            apply.reset()
            setChanges(NO_CHANGES)
          }}
        />
      </div>
    </Form>
  )
}

function What({ settings: { treeName, outcomes, updatedAt } }: { settings: SsvcSettings }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="What decides">
      <p>
        The tree <strong>{treeName}</strong> says of each finding {outcomes.join(', ')}. It asks
        what records publish, and what only you know: what a product is for, whom its failure harms,
        and which devices can be reached from outside. What is not known counts as its most urgent
        value.
      </p>
      <p className={css['note']}>
        {updatedAt === null ? (
          'Nobody has stated anything yet, so most findings are more urgent than they have to be.'
        ) : (
          <>
            Changed <Time at={updatedAt} as="dateTime" />.{' '}
          </>
        )}{' '}
        <Link {...findAuditLog(workspaceId)} search={{ action: 'ssvc.update', when: 'any' }}>
          Who stated what, and when
        </Link>
      </p>
    </Panel>
  )
}
