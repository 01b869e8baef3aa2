/** What was done in this session, and how it went: an act goes on when its page is left, and its notice says so. */
import { createContext, useContext, useMemo, useState } from 'react'

export interface Act {
  /** What it does, as a fact: "7 findings of CVE-2024-3094: Exploitable". */
  text: string
  /** Sends it; answers with the way back, if there is one. */
  send: (tell: Tell) => Promise<Undo | undefined>
  /** It decides about findings. */
  isDecision?: true
  form?: ActForm
}

/** The form that sent an act and may still be open. */
export interface ActForm {
  /** It takes long: its notice tells how far it is. */
  tellLong: () => void
  /** Answers whether the form shows the fault: then no notice does. */
  takeFault: (error: unknown) => boolean
}

/** Takes an act back; answers with what could not be taken back, if anything. */
type Undo = (tell: Tell) => Promise<string | undefined>

export interface Progress {
  done: number
  of: number
}

/** Says how far it is. */
export type Tell = (progress: Progress) => void

export interface SentAct extends Act {
  id: number
  /** `notUndone`: it was done, and could not be taken back. */
  state: 'sending' | 'done' | 'failed' | 'undoing' | 'undone' | 'notUndone'
  /** Acts that changed later have a greater one. */
  change: number
  undo?: Undo | undefined
  /** The failure of the last attempt. */
  error?: unknown
  /** While it is on its way, or on its way back. */
  progress?: Progress | undefined
  /** What stayed when it was taken back. */
  rest?: string | undefined
}

export interface Acts {
  /** Oldest first. */
  list: readonly SentAct[]
  /** Answers whether it was done; its notice tells it, too. */
  perform: (act: Act) => Promise<boolean>
  retry: (act: SentAct) => void
  /** Takes the act back. An act that is still being sent is taken back as soon as it is answered. */
  undo: (act: SentAct) => void
}

export const ActsContext = createContext<Acts | undefined>(undefined)

export function useActs(): Acts {
  const acts = useContext(ActsContext)
  if (!acts) throw new Error('This is outside of the shell')
  return acts
}

export function useSentActs(): Acts {
  const [list, setList] = useState<readonly SentAct[]>([])
  const [commands] = useState(() => createCommands(setList))
  return useMemo(() => ({ list, ...commands }), [list, commands])
}

type List = Acts['list']

/** `change` brings the list up to date. */
export function createCommands(change: (update: (all: List) => List) => void): Omit<Acts, 'list'> {
  let count = 0
  const sent = new Map<number, Promise<Undo | undefined>>()
  /** They are on their way back, perhaps before it is answered that they were done. */
  const returning = new Set<number>()
  const note = (id: number, changes: Partial<SentAct>) => {
    count += 1
    const noted = { progress: undefined, ...changes, change: count }
    change((all) => all.map((act) => (act.id === id ? { ...act, ...noted } : act)))
  }
  // Progress changes the notice that is there, and opens no other one.
  const tell = (id: number) => (progress: Progress) =>
    change((all) => all.map((act) => (act.id === id ? { ...act, progress } : act)))
  const send = async (act: SentAct) => {
    try {
      const tellNotice = tell(act.id)
      const answer = act.send((progress) => {
        act.form?.tellLong()
        tellNotice(progress)
      })
      sent.set(act.id, answer)
      const undo = await answer
      if (!returning.has(act.id)) note(act.id, { state: 'done', undo, error: undefined })
      return true
    } catch (error) {
      if (act.form?.takeFault(error)) change((all) => all.filter(({ id }) => id !== act.id))
      else note(act.id, { state: 'failed', error })
      return false
    }
  }
  const takeBack = async ({ id }: SentAct) => {
    returning.add(id)
    note(id, { state: 'undoing' })
    let failed: SentAct['state'] = 'failed'
    try {
      const undo = await sent.get(id)
      failed = 'notUndone'
      note(id, { state: 'undone', rest: await undo?.(tell(id)) })
    } catch (error) {
      note(id, { state: failed, error })
    }
    returning.delete(id)
  }
  return {
    perform: (act) => {
      count += 1
      const begun: SentAct = { ...act, id: count, change: count, state: 'sending' }
      change((all) => [...all, begun])
      return send(begun)
    },
    retry: (act) => {
      note(act.id, { state: 'sending' })
      void send(act)
    },
    undo: (act) => void takeBack(act),
  }
}
