/** An act that a form sends: the form stays until it is done, so that its faults stand beside the fields. */
import { ApiProblem } from '@plimsoll/api-client'
import { useEffect, useRef, useState } from 'react'
import { describeField } from '../format/problems.ts'
import type { ActForm } from './acts.ts'

/** `onDone` is called as well when the service says how far it is: what takes long is told by its notice alone. */
export function useFormAct(onDone: () => void) {
  const [error, setError] = useState<unknown>(null)
  const [isPending, setPending] = useState(false)
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const leave = () => {
    if (isOpen.current) onDone()
  }
  const form: ActForm = {
    tellLong: leave,
    takeFault: (fault) => {
      if (isOpen.current) setError(fault)
      return isOpen.current
    },
  }
  const send = async (perform: (form: ActForm) => Promise<boolean>) => {
    setError(null)
    setPending(true)
    const isDone = await perform(form)
    setPending(false)
    if (isDone) leave()
  }
  const { problem } = error instanceof ApiProblem ? error : {}
  return {
    send: (perform: (form: ActForm) => Promise<boolean>) => void send(perform),
    isPending,
    error,
    reset: () => setError(null),
    findFault: (name: string) => problem && describeField(problem, name),
  }
}

export type FormAct = ReturnType<typeof useFormAct>
