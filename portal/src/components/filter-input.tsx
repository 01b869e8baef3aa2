import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef } from 'react'

const TYPING_MS = 150

export interface FilterInputProps extends Omit<
  TextInputProps,
  'value' | 'defaultValue' | 'onChange'
> {
  /** The value in the address, which follows what is typed a moment later. */
  value: string | undefined
  onChange: (text: string) => void
}

/** A filter as text. It empties when the filter is dropped elsewhere. */
export function FilterInput({ value = '', onChange, ...input }: FilterInputProps) {
  const field = useRef<HTMLInputElement>(null)
  const type = useDebouncedCallback(onChange, TYPING_MS)
  useEffect(() => {
    if (field.current && value === '') field.current.value = ''
  }, [value])
  return (
    <TextInput
      {...input}
      ref={field}
      defaultValue={value}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
