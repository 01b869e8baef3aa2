/** Saves the list as it is seen now, and deletes views. */
import type { SavedView } from '@plimsoll/api-client'
import { Checkbox, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { Dialog, GoBack } from '../dialog.tsx'
import { Form, FormActs, FormFault } from '../form.tsx'
import { isChangedMeanwhile } from '../put-back.ts'
import { usePerform } from '../perform.ts'
import { useReturnedFocus } from '../return-focus.ts'
import { useForm } from '../use-form.ts'
import { pickViewed, savedViewQuery, savedViewsQuery, type ViewedList } from './queries.ts'
import css from './saved-views.module.css'

const ALL = '/workspaces/{workspaceId}/saved-views'
const ONE = '/workspaces/{workspaceId}/saved-views/{savedViewId}'

interface SavedViewsDialogProps {
  list: ViewedList
  /** The search of the address. */
  search: string
  onClose: () => void
}

export default function SavedViewsDialog({ list, search, onClose }: SavedViewsDialogProps) {
  useReturnedFocus()
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { data } = useQuery(savedViewsQuery(workspaceId, list))
  const findOwn = (name: string) =>
    data?.savedViews.find((view) => view.isYours && view.name === name.trim())
  const first = { name: '', isShared: false }
  const { save, submit, values, field, checkbox } = useForm(first, {
    mutationFn: async (typed) => {
      const own = findOwn(typed.name)
      const written = { ...typed, search: pickViewed(search) }
      if (!own) return api.post(ALL, { params: { workspaceId }, body: { list, ...written } })
      const ifStill = await queryClient.ensureQueryData(savedViewQuery(workspaceId, own.id))
      const params = { workspaceId, savedViewId: own.id }
      return api.put(ONE, { params, body: written, ifStill })
    },
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['saved-views', workspaceId] }),
  })
  const own = findOwn(values.name)
  // Read when it is named, and kept: what others change from then on is not written over unseen.
  useQuery({ ...savedViewQuery(workspaceId, own?.id ?? ''), enabled: own !== undefined })
  return (
    <Dialog opened onClose={onClose} title="Views of this list">
      <Form label="Save the view" onSubmit={submit}>
        <TextInput
          label="Save what is shown now as"
          description="Filters and order, as the address has them"
          maxLength={200}
          required
          data-autofocus
          {...field('name')}
        />
        <Checkbox label="Share it with all members" {...checkbox('isShared')} />
        {isChangedMeanwhile(save.error) ? (
          <p className={css['late']} role="alert">
            <strong>Nothing was saved: somebody else changed this view meanwhile.</strong> Save
            again to put yours in its place.
          </p>
        ) : (
          <FormFault error={save.error} />
        )}
        <FormActs>
          <GoBack />
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            disabled={values.name.trim() === ''}
          >
            {own ? 'Replace the view' : 'Save view'}
          </Button>
        </FormActs>
      </Form>
      {data && data.savedViews.length > 0 && (
        <ul className={css['views']} aria-label="Saved views">
          {data.savedViews.map((view) => (
            <OneView key={view.id} view={view} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const pickWritten = ({ list, name, search, isShared }: SavedView) => ({
  list,
  name,
  search,
  isShared,
})

function OneView({ view }: { view: SavedView }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('saved-views')
  const { id, name, isShared, isYours, ownerName } = view
  const remove = () =>
    perform({
      text: `View “${name}” deleted`,
      send: async () => {
        const params = { workspaceId, savedViewId: id }
        const ifStill = await api.get(ONE, { params })
        await api.delete(ONE, { params, ifStill })
        return async () => {
          await api.post(ALL, { params: { workspaceId }, body: pickWritten(ifStill) })
          return isYours ? undefined : 'It is yours now.'
        }
      },
    })
  return (
    <li>
      <span>
        {name}{' '}
        <small>
          {isYours ? 'yours' : (ownerName ?? 'of somebody who left')}
          {isShared && ', shared'}
        </small>
      </span>
      <Button
        size="small"
        kind="quiet"
        aria-label={`Delete the view ${name}`}
        onClick={() => void remove()}
      >
        Delete
      </Button>
    </li>
  )
}
