/** The texts of an advisory. What somebody else changed meanwhile is shown before anything is written over. */
import { Textarea, TextInput } from '@mantine/core'
import type { SecurityAdvisory, WithEntityTag } from '@plimsoll/api-client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Law } from '../../components/cases/law-mark.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { AddVulnerability } from './add-vulnerability.tsx'
import css from './advisories.module.css'
import { type DraftValues, readDraft, writeDraft } from './draft-values.ts'
import { VulnerabilityPanel } from './vulnerability-panel.tsx'

interface AdvisoryEditorProps {
  /** As the service has it now. */
  latest: WithEntityTag<SecurityAdvisory>
  onTouched: (isTouched: boolean) => void
}

const isSame = (one: DraftValues, other: DraftValues) =>
  JSON.stringify(one) === JSON.stringify(other)

export function AdvisoryEditor({ latest, onTouched }: AdvisoryEditorProps) {
  const [opened, setOpened] = useState(latest)
  return <Editor key={opened.updatedAt} {...{ opened, latest, onTouched, onOpen: setOpened }} />
}

interface EditorProps extends AdvisoryEditorProps {
  /** As it was when the form began. */
  opened: WithEntityTag<SecurityAdvisory>
  onOpen: (one: WithEntityTag<SecurityAdvisory>) => void
}

function Editor({ opened, latest, onTouched, onOpen }: EditorProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Cases: write')
  const queryClient = useQueryClient()
  const first = readDraft(opened)
  const isOther = !isSame(readDraft(latest), first)
  const form = useForm(first, {
    mutationFn: (values: DraftValues) =>
      api.put('/workspaces/{workspaceId}/security-advisories/{advisoryId}', {
        params: { workspaceId, advisoryId: opened.id },
        body: writeDraft(values, opened),
        // A publication alone changes nothing that is written here.
        ifStill: isOther ? opened : latest,
      }),
    onSuccess: async (saved) => {
      onOpen(saved)
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
    },
  })
  const { save, values, field, change } = form
  const isTouched = !isSame(values, first)
  useEffect(() => onTouched(isTouched), [isTouched, onTouched])
  useEffect(() => {
    if (isOther && !isTouched) onOpen(latest)
  }, [isOther, isTouched, latest, onOpen])
  return (
    <Form onSubmit={() => mayWrite && isTouched && form.submit()} label="Advisory">
      <fieldset className={css['fields']} disabled={!mayWrite}>
        <Panel title="What it says">
          <div className={css['stack']}>
            <TextInput label="Title" required maxLength={255} {...field('title')} />
            <Textarea
              label="Summary"
              description="What happened and what to do, for people"
              required
              autosize
              minRows={2}
              maxLength={10_000}
              {...field('summary')}
            />
            <Textarea
              label="Details"
              description="Empty: none"
              autosize
              minRows={2}
              maxLength={50_000}
              {...field('details')}
            />
          </div>
        </Panel>
        <Panel title="Waiting" aside={<Law article="Annex I, part II (4)" />}>
          <div className={css['grid']}>
            <TextInput
              type="datetime-local"
              label="Not before"
              description="Publishing is refused until then. Empty: it waits for nothing"
              {...field('heldUntil')}
            />
            <TextInput
              label="Why it waits"
              description="Such as: users cannot update yet"
              maxLength={2_000}
              {...field('heldReason')}
            />
          </div>
        </Panel>
        {values.vulnerabilities.map((one, index) => (
          <VulnerabilityPanel
            key={one.vulnerabilityId}
            one={one}
            products={latest.products}
            faultOf={(member) => form.findFault(`vulnerabilities/${index}/${member}`)}
            onChange={(changed) =>
              change({ vulnerabilities: values.vulnerabilities.with(index, changed) })
            }
            onRemove={() => change({ vulnerabilities: values.vulnerabilities.toSpliced(index, 1) })}
          />
        ))}
        {mayWrite && (
          <AddVulnerability
            known={values.vulnerabilities}
            onAdd={(added) => change({ vulnerabilities: [...values.vulnerabilities, added] })}
          />
        )}
      </fieldset>
      {!mayWrite && <p className={css['note']}>Your role may read advisories, not change them.</p>}
      {isOther && isTouched && (
        <p role="status" className={css['other']}>
          Somebody has changed it since you began; saving is refused.{' '}
          <Button size="small" onClick={() => onOpen(latest)}>
            Drop yours and read it anew
          </Button>
        </p>
      )}
      <FormFault error={save.error} />
      {mayWrite && (
        <FormActs>
          <Button type="submit" kind="primary" disabled={!isTouched} isBusy={save.isPending}>
            Save draft
          </Button>
        </FormActs>
      )}
    </Form>
  )
}
