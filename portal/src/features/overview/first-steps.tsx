import { IconCheck, IconCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/panel.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './overview-page.module.css'
import type { Overview } from './queries.ts'

type Setup = Overview['setup']

/** From nothing to a first real answer; gone when all is done. */
const STEPS: readonly {
  done: keyof Setup
  text: string
  to: '/w/$workspaceId/settings/$part' | '/w/$workspaceId/firmware'
  part?: string
}[] = [
  {
    done: 'hasSources',
    text: 'Read the vulnerability sources',
    to: '/w/$workspaceId/settings/$part',
    part: 'sources',
  },
  {
    done: 'hasFirmware',
    text: 'Create a firmware and its version',
    to: '/w/$workspaceId/firmware',
  },
  {
    done: 'hasSbom',
    text: 'Drop its SBOM on the page of the version',
    to: '/w/$workspaceId/firmware',
  },
  {
    done: 'hasDevice',
    text: 'Connect a device with a device key',
    to: '/w/$workspaceId/settings/$part',
    part: 'api-keys',
  },
]

export function FirstSteps({ setup }: { setup: Setup }) {
  const workspaceId = useWorkspaceId()
  if (STEPS.every(({ done }) => setup[done])) return null
  return (
    <Panel title="First steps" note="each can wait">
      <ol className={css['steps']}>
        {STEPS.map(({ done, text, to, part = '' }) => (
          <li key={done} className={setup[done] ? css['muted'] : undefined}>
            {setup[done] ? (
              <IconCheck size={16} role="img" aria-label="done" />
            ) : (
              <IconCircle size={16} role="img" aria-label="to do" />
            )}
            {setup[done] ? (
              text
            ) : (
              <Link to={to} params={{ workspaceId, part }}>
                {text}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
