/** From nothing to a first real answer: sources, SBOM, findings, device. Each step can be skipped, and waits on the overview. */
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import type { SetupStep } from '../../searches.ts'
import { useWorkspace, useWorkspaceId } from '../../session.ts'
import { overviewQuery } from '../../workspace-queries.ts'
import { FirstDeviceStep } from './first-device.tsx'
import { FirstSbomStep } from './first-sbom.tsx'
import { SourcesStep } from './sources-step.tsx'
import css from './setup-page.module.css'

const STEPS = [
  { id: 'sources', title: 'Vulnerability sources', done: 'hasSources', Body: SourcesStep },
  { id: 'sbom', title: 'A first SBOM', done: 'hasSbom', Body: FirstSbomStep },
  { id: 'device', title: 'A first device', done: 'hasDevice', Body: FirstDeviceStep },
] as const

export function SetupPage() {
  const workspaceId = useWorkspaceId()
  const workspace = useWorkspace()
  const { data, error, refetch } = useQuery(overviewQuery(workspaceId))
  return (
    <>
      <TopBar title="First steps" />
      <Page isNarrowColumn>
        <h2 className={css['opening']}>
          From nothing to your first answer in {workspace?.name ?? 'this workspace'}.
        </h2>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && <Steps setup={data.setup} />}
      </Page>
    </>
  )
}

type Setup = Record<(typeof STEPS)[number]['done'], boolean>

function Steps({ setup }: { setup: Setup }) {
  const workspaceId = useWorkspaceId()
  const { step } = useSearch({ from: '/w/$workspaceId/setup' })
  const navigate = useNavigate()
  // As it was when the page opened: a step that gets done stays open and shows what came of it.
  const [firstUndone] = useState(() => STEPS.find(({ done }) => !setup[done])?.id)
  const open = step ?? firstUndone
  const go = (next: SetupStep | undefined) =>
    next === undefined
      ? void navigate({ to: '/w/$workspaceId', params: { workspaceId } })
      : void navigate({
          to: '/w/$workspaceId/setup',
          params: { workspaceId },
          search: { step: next },
        })
  return (
    <>
      <ol className={css['steps']}>
        {STEPS.map(({ id, title, done, Body }, index) => (
          <Step
            key={id}
            number={index + 1}
            title={title}
            isDone={setup[done]}
            isOpen={open === id}
            onOpen={() => go(id)}
          >
            <Body />
            <div className={css['next']}>
              <Button onClick={() => go(STEPS[index + 1]?.id)}>
                {setup[done] ? 'Go on' : 'Not now'}
              </Button>
            </div>
          </Step>
        ))}
      </ol>
      <p className={css['note']}>
        What is left waits on the{' '}
        <Link to="/w/$workspaceId" params={{ workspaceId }}>
          overview
        </Link>
        .
      </p>
    </>
  )
}

interface StepProps {
  number: number
  title: string
  isDone: boolean
  isOpen: boolean
  onOpen: () => void
  children: ReactNode
}

function Step({ number, title, isDone, isOpen, onOpen, children }: StepProps) {
  return (
    <li className={`${css['step']} ${isOpen ? css['open'] : ''}`}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={onOpen}>
          <span className={`${css['number']} ${isDone ? css['done'] : ''}`}>
            {isDone ? <IconCheck size={14} aria-hidden="true" /> : number}
          </span>
          {title} <span className={css['state']}>{isDone ? 'done' : ''}</span>
        </button>
      </h3>
      {isOpen && <div className={css['body']}>{children}</div>}
    </li>
  )
}
