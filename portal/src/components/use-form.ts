/** The values of a form, what sends them, and for each field what the service said of it. */
import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { type ChangeEvent, useCallback, useState } from 'react'
import { ApiProblem } from '@plimsoll/api-client'
import { describeField } from '../format/problems.ts'

export function useForm<Values extends object, Answer>(
  initial: Values | (() => Values),
  options: UseMutationOptions<Answer, Error, Values>,
) {
  const [values, setValues] = useState(initial)
  const save = useMutation(options)
  const change = useCallback(
    (changes: Partial<Values>) => setValues((old) => ({ ...old, ...changes })),
    [],
  )
  const { error: failure } = save
  const { problem } = failure instanceof ApiProblem ? failure : {}
  const findFault = (name: string) =>
    isPrivateKey(values[name as keyof Values]) ? NOT_SENT : problem && describeField(problem, name)
  const send = () => {
    if (!Object.values(values).some(isPrivateKey)) save.mutate(values)
  }
  /** What an input of Mantine takes; `read` makes the value of what its `onChange` tells. */
  const field = <Name extends keyof Values & string>(
    name: Name,
    read: (told: unknown) => unknown = readValue,
  ) => ({
    value: values[name],
    onChange: (told: unknown) => change({ [name]: read(told) } as Partial<Values>),
    error: findFault(name),
    // Mantine's fields of passwords and its boxes do not set it.
    'aria-invalid': findFault(name) !== undefined,
  })
  const checkbox = (name: keyof Values & string) => ({
    checked: values[name] === true,
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      change({ [name]: event.currentTarget.checked } as Partial<Values>),
    error: findFault(name),
    'aria-invalid': findFault(name) !== undefined,
  })
  return { save, submit: send, values, change, field, checkbox, findFault }
}

const NOT_SENT =
  'This holds a private key, which is never sent: give its certificate or its public part.'

/** No form asks for one, and it must not leave the browser. */
const isPrivateKey = (value: unknown): boolean =>
  typeof value === 'string' && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value)

/** The part that draws fields needs. */
export type FormOf<Values extends object> = Omit<
  ReturnType<typeof useForm<Values, unknown>>,
  'save' | 'submit'
>

/** Text fields tell an event, all others the value itself. */
function readValue(told: unknown): unknown {
  const isEvent = typeof told === 'object' && told !== null && 'currentTarget' in told
  return isEvent ? (told as ChangeEvent<HTMLInputElement>).currentTarget.value : told
}
