/** Whose findings are: teams, the rules that give findings to members and teams, and how many each has. */
import type { OwnerRules, WithEntityTag } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Form } from '../../components/form.tsx'
import { ownerRulesQuery } from '../../components/owners/queries.ts'
import { Page } from '../../components/page.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { ChangePanel, useOwnersPreview } from './change-panel.tsx'
import { CountsPanel } from './counts-panel.tsx'
import { type Drafts, isSame, readDrafts, writeDrafts } from './drafts.ts'
import css from './owners.module.css'
import { RulesPanel } from './rules-panel.tsx'
import { TeamsPanel } from './teams-panel.tsx'
import { useSave } from './use-save.ts'

export function OwnersPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(ownerRulesQuery(workspaceId))
  const error = findBlockingError(query)
  return (
    <>
      <TopBar
        title="Owners"
        trail={[
          <Link key="settings" to="/w/$workspaceId/settings" params={{ workspaceId }}>
            Settings
          </Link>,
        ]}
      />
      <Page>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!query.data && !error && <Loading />}
        {query.data && <Owners found={query.data} />}
      </Page>
    </>
  )
}

interface Editing {
  /** The state that the changes began with. */
  opened: WithEntityTag<OwnerRules>
  drafts: Drafts
}

function Owners({ found }: { found: WithEntityTag<OwnerRules> }) {
  const mayWrite = useMay('Workspace settings: write')
  const [editing, setEditing] = useState<Editing>()
  // A form that begins anew has nothing unsaved.
  const [round, setRound] = useState(0)
  const opened = editing?.opened ?? found
  const before = useMemo(() => readDrafts(opened), [opened])
  const drafts = editing?.drafts ?? before
  const isChanged = !isSame(before, drafts)
  const discard = () => {
    setEditing(undefined)
    setRound((last) => last + 1)
  }
  const save = useSave({ opened, drafts, onDone: discard })
  const preview = useOwnersPreview(drafts, isChanged)
  const change = (changed: Partial<Drafts>) =>
    setEditing({ opened, drafts: { ...drafts, ...changed } })
  const error = save.error ?? preview.error
  return (
    <Form
      key={round}
      label="Owner rules"
      onSubmit={() => {
        if (isChanged && mayWrite) save.save()
      }}
    >
      <Typed text={isChanged ? JSON.stringify(writeDrafts(drafts)) : ''} />
      <div className={css['columns']}>
        <div className={css['stack']}>
          <CountsPanel />
          <RulesPanel {...{ drafts, mayWrite, error }} known={opened.rules} onChange={change} />
          <TeamsPanel {...{ drafts, mayWrite, error }} onChange={change} />
        </div>
        <ChangePanel
          {...{ before, drafts, isChanged, mayWrite, preview, save }}
          onDiscard={() => {
            save.reset()
            discard()
          }}
        />
      </div>
    </Form>
  )
}

/** For the question about what is not saved, which looks at the values of fields and listens to what is typed. */
function Typed({ text }: { text: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (text !== '') field.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [text])
  return <input type="hidden" ref={field} value={text} />
}
