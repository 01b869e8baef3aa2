/** Which licences may ship: in all firmwares of the workspace, or in one. */
import type { LicenceRuleSet } from '@plimsoll/api-client'
import { Checkbox, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { usePerform } from '../perform.ts'
import { putBack } from '../put-back.ts'
import css from './licences-panel.module.css'
import { type FoundRules, replaceRules, rulesQuery } from './queries.ts'
import { OUTCOME_WORDS } from './outcome-words.ts'
import { type LicenceOutcome, readDraft, type RulesDraft, writeRules } from './rule-drafts.ts'

type Of = 'workspace' | 'firmware'

interface RulesProps {
  firmware: { id: string; name: string }
  of: Of
}

export function RulesButton({ firmware, of }: RulesProps) {
  const [isOpen, dialog] = useDisclosure(false)
  const title = of === 'firmware' ? `Rules of ${firmware.name}` : 'Rules of the workspace'
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={dialog.open}>
        {title}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={title}>
        <OpenedRules firmware={firmware} of={of} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

function OpenedRules(props: RulesProps & { onDone: () => void }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(rulesQuery(workspaceId, props.of === 'firmware' && props.firmware.id))
  if (!data) return <p role="status">Reading the rules…</p>
  return <RulesForm {...props} found={data} />
}

interface RulesFormProps extends RulesProps {
  found: FoundRules
  onDone: () => void
}

const LISTS = [
  { name: 'allow', label: 'Allowed', hint: 'With none, all that is in no other list is allowed' },
  { name: 'deny', label: 'Denied', hint: 'GPL-3.0-or-later covers later versions, too' },
  { name: 'review', label: 'To be reviewed', hint: 'Somebody has to look at them' },
] as const

const OUTCOMES: LicenceOutcome[] = ['denied', 'notListed', 'unknown', 'review']

function RulesForm({ firmware, of, found, onDone }: RulesFormProps) {
  const mayWrite = useMay(of === 'firmware' ? 'Firmware: write' : 'Workspace settings: write')
  // What was opened: the page goes on reading the newest.
  const [opened] = useState(found)
  const [draft, setDraft] = useState(() => readDraft(opened.rules))
  const perform = usePerform('licences', 'sboms')
  const act = useFormAct(onDone)
  const workspaceId = useWorkspaceId()
  const change = (changed: Partial<RulesDraft>) => setDraft((old) => ({ ...old, ...changed }))
  const member = of === 'firmware' ? 'ownRules' : 'rules'
  const after = writeRules(draft)
  const save = () =>
    act.send((form) =>
      perform({
        text: describeChange(of === 'firmware' ? firmware.name : 'the workspace', after),
        form,
        send: async () => {
          const written = await replaceRules(workspaceId, opened, after)
          return () => putBack(() => replaceRules(workspaceId, written, opened.rules))
        },
      }),
    )
  return (
    <Form onSubmit={save} label="Licence rules">
      <p className={css['note']}>
        One licence a line, as SPDX writes it.{' '}
        {of === 'firmware'
          ? describeInherited(found.inherited)
          : 'They hold in every firmware without rules of its own. Empty: nothing is judged.'}
      </p>
      {LISTS.map(({ name, label, hint }) => (
        <Textarea
          key={name}
          label={label}
          description={hint}
          autosize
          minRows={2}
          maxRows={8}
          disabled={!mayWrite}
          value={draft[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
          error={act.findFault(`${member}/${name}`)}
        />
      ))}
      <Checkbox.Group
        label="May not ship"
        description="Where the release gate blocks, a deployment then needs a reason"
        value={draft.failOn}
        onChange={(values) => change({ failOn: OUTCOMES.filter((one) => values.includes(one)) })}
      >
        <div className={css['outcomes']}>
          {OUTCOMES.map((outcome) => (
            <Checkbox
              key={outcome}
              value={outcome}
              label={OUTCOME_WORDS[outcome]}
              disabled={!mayWrite}
            />
          ))}
        </div>
      </Checkbox.Group>
      <FormFault error={act.error} />
      {mayWrite && (
        <FormActs>
          <Button type="submit" kind="primary" isBusy={act.isPending}>
            {after === null ? 'Save: no rules' : 'Save rules'}
          </Button>
        </FormActs>
      )}
    </Form>
  )
}

const describeInherited = (inherited: LicenceRuleSet | null | undefined) =>
  inherited === null
    ? 'Empty: the workspace has no rules either, so nothing is judged.'
    : 'They hold in place of those of the workspace. Empty: those of the workspace hold.'

const describeChange = (of: string, after: LicenceRuleSet | null) =>
  after === null ? `Licence rules of ${of}: none` : `Licence rules of ${of}: changed`
