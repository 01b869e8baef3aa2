/** Subscribes to a supplier's feed, or changes its name or address. */
import { TextInput } from '@mantine/core'
import type { SupplierFeed } from '@plimsoll/api-client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { createFeed, deleteFeed, readFeed, updateFeed } from './queries.ts'
import css from './suppliers.module.css'

interface FeedFormProps {
  /** undefined: a new subscription. */
  known: SupplierFeed | undefined
  onDone: () => void
}

interface Fields {
  name: string
  url: string
}

export function FeedForm({ known, onDone }: FeedFormProps) {
  const [fields, setFields] = useState<Fields>({ name: known?.name ?? '', url: known?.url ?? '' })
  const { act, save } = useSaveFeed(known, onDone)
  const isMoved = known !== undefined && fields.url.trim() !== known.url
  return (
    <Form
      label={known ? `Feed of ${known.name}` : 'Subscribe to a supplier'}
      onSubmit={() => save({ name: fields.name.trim(), url: fields.url.trim() })}
    >
      <TextInput
        label="Supplier"
        description="As you call it: it is named where it decides"
        placeholder="Example Silicon"
        required
        data-autofocus
        value={fields.name}
        onChange={(event) => setFields({ ...fields, name: event.currentTarget.value })}
        error={act.findFault('name')}
      />
      <TextInput
        label="Address"
        description="A host, its provider-metadata.json, a ROLIE feed, or a folder with changes.csv"
        placeholder="psirt.example.com"
        required
        value={fields.url}
        onChange={(event) => setFields({ ...fields, url: event.currentTarget.value })}
        error={act.findFault('url')}
      />
      <p role="status" className={css['note']}>
        {describeEffect(known, isMoved)}
      </p>
      <FormFault error={act.error} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={act.isPending}>
          {known ? 'Save' : 'Subscribe'}
        </Button>
      </FormActs>
    </Form>
  )
}

function describeEffect(known: SupplierFeed | undefined, isMoved: boolean): string {
  if (!known)
    return 'It is read within a minute. What it says decides findings that nobody has decided, in this workspace only.'
  if (!isMoved) return 'The name alone changes nothing that the feed says.'
  const { statementCount, decidedCount } = known.effects
  return `With another address it is read anew: ${formatCountOf(statementCount, 'statement')} of now count no more, and ${formatCountOf(decidedCount, 'finding')} that they decided stay so.`
}

/** Sends it; the notice has the way back. */
function useSaveFeed(known: SupplierFeed | undefined, onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('supplier-feeds', 'findings')
  const act = useFormAct(onDone)
  const create = async (fields: Fields) => {
    const { id } = await createFeed(workspaceId, fields)
    return async () => {
      await deleteFeed(workspaceId, id)
      return undefined
    }
  }
  const update = async (feed: SupplierFeed, fields: Fields) => {
    const before = await readFeed(workspaceId, feed)
    if (before.name !== feed.name || before.url !== feed.url)
      throw new Error('Somebody has changed it meanwhile: close this, and look at it again.')
    const written = await updateFeed(workspaceId, before, fields)
    return () => putBack(() => updateFeed(workspaceId, written, before))
  }
  const save = (fields: Fields) =>
    act.send((form) =>
      perform({
        text: known ? `${fields.name}: changed` : `${fields.name}: subscribed`,
        form,
        send: () => (known ? update(known, fields) : create(fields)),
      }),
    )
  return { act, save }
}
