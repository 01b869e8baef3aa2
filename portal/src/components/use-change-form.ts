/** A form that changes what is there: what somebody else changed meanwhile is told before anything is written over it. */
import type { AuditLogEntry, WithEntityTag } from '@plimsoll/api-client'
import { useCallback, useEffect, useState } from 'react'
import { api } from '../api.ts'
import { useWorkspaceId } from '../session.ts'
import { listDifferences, mergeValues } from './merged-values.ts'
import { isChangedMeanwhile } from './put-back.ts'
import { useForm } from './use-form.ts'

/** What others did while somebody typed. */
export interface Meanwhile {
  changed: readonly string[]
  /** Typed here, too. */
  both: readonly string[]
  /** undefined: the log does not say, or not to this reader. */
  entry: AuditLogEntry | undefined
}

interface Changing<Thing extends WithEntityTag | undefined, Values extends object, Answer> {
  /** As the page read it last, at its own address. undefined: a new one. */
  latest: Thing
  /** Which entries of the audit log are about it. */
  audited: { subject: string } | { action: string }
  /** The same function at each call. */
  readValues: (thing: Thing) => Values
  load: () => Promise<NonNullable<Thing>>
  /** Refused if it is no longer what `still` says; `before` has its values. */
  send: (values: Values, still: Thing, before: Values) => Promise<Answer>
  onSuccess?: (answer: Answer) => unknown
  onSettled?: () => unknown
}

/** It follows the page while nothing is typed. Once it was told what others did, sending again puts what is typed in its place. */
export function useChangeForm<
  Thing extends WithEntityTag | undefined,
  Values extends object,
  Answer,
>(changing: Changing<Thing, Values, Answer>) {
  const { latest, audited, readValues, load, send, onSuccess, onSettled } = changing
  const workspaceId = useWorkspaceId()
  const [still, setStill] = useState(latest)
  const [meanwhile, setMeanwhile] = useState<Meanwhile | Error>()
  const before = readValues(still)
  const form = useForm(() => readValues(latest), {
    mutationFn: (values: Values) => send(values, still, before),
    onMutate: () => setMeanwhile(undefined),
    onSuccess: (answer: Answer) => {
      // A form that stays open goes on from what was saved.
      if (api.hasEntityTag(answer)) goOnFrom(answer as Thing & object)
      return onSuccess?.(answer)
    },
    onError: async (error, typed) => {
      if (!isChangedMeanwhile(error)) return
      try {
        const [now, entry] = await Promise.all([load(), findLastChange(workspaceId, audited)])
        const { values, ...others } = mergeValues(typed, before, readValues(now))
        setStill(now)
        setMeanwhile({ ...others, entry })
        form.change(values)
      } catch (failure) {
        setMeanwhile(failure as Error)
      }
    },
    ...(onSettled && { onSettled }),
  })
  const { values, change, save } = form
  const goOnFrom = useCallback(
    (thing: Thing) => {
      setStill(thing)
      change(readValues(thing))
    },
    [change, readValues],
  )
  const isTouched = listDifferences(values, before).length > 0
  const isBehind = latest !== still && !isTouched && !save.isPending && meanwhile === undefined
  useEffect(() => {
    if (isBehind) goOnFrom(latest)
  }, [isBehind, latest, goOnFrom])
  return { ...form, isTouched, still, meanwhile }
}

/** Who reads no audit log is told what was changed, and not by whom. */
async function findLastChange(workspaceId: string, audited: object) {
  try {
    const { entries } = await api.get('/workspaces/{workspaceId}/audit-log', {
      params: { workspaceId },
      query: { ...audited, limit: 1 },
    })
    return entries[0]
  } catch {
    return undefined
  }
}
