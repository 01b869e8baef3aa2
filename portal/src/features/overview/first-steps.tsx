import type { Overview } from '@plimsoll/api-client'
import { IconCheck, IconCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/panel.tsx'
import type { SetupStep } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './overview-page.module.css'

type Setup = Overview['setup']

/** From nothing to a first real answer; gone when all is done. */
const STEPS: readonly { done: keyof Setup; text: string; step: SetupStep }[] = [
  { done: 'hasSources', text: 'Read the vulnerability sources', step: 'sources' },
  { done: 'hasFirmware', text: 'Create a firmware and its version', step: 'sbom' },
  { done: 'hasSbom', text: 'Upload its SBOM', step: 'sbom' },
  { done: 'hasDevice', text: 'Connect a device', step: 'device' },
]

export function FirstSteps({ setup }: { setup: Setup }) {
  const workspaceId = useWorkspaceId()
  if (STEPS.every(({ done }) => setup[done])) return null
  return (
    <Panel title="First steps" note="each can wait">
      <ol className={css['steps']}>
        {STEPS.map(({ done, text, step }) => (
          <li key={done} className={setup[done] ? css['muted'] : undefined}>
            {setup[done] ? (
              <IconCheck size={16} role="img" aria-label="done" />
            ) : (
              <IconCircle size={16} role="img" aria-label="to do" />
            )}
            {setup[done] ? (
              text
            ) : (
              <Link to="/w/$workspaceId/setup" params={{ workspaceId }} search={{ step }}>
                {text}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
