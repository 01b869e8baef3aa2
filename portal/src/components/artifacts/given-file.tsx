/** A text that people paste, or choose as a file: a statement or a signature. */
import { Textarea, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { formatBytes } from '../../format/counts.ts'
import { Button } from '../button.tsx'
import css from './artifacts.module.css'

export interface GivenFile {
  fileName: string
  text: string
  /** Chosen as a file: its text is not shown, as it may have megabytes. */
  isChosen: boolean
}

export const NO_FILE: GivenFile = { fileName: '', text: '', isChosen: false }

interface GivenFileFieldsProps {
  /** "Text of the statement" */
  label: string
  /** Formats that are read. */
  description: string
  /** What a pasted text may be called. */
  placeholder: string
  /** A larger file is not read: it is another one than was meant. */
  mostBytes: number
  value: GivenFile
  onChange: (value: GivenFile) => void
  fault: string | undefined
  nameFault: string | undefined
}

export function GivenFileFields(props: GivenFileFieldsProps) {
  const { label, description, placeholder, mostBytes, value, onChange, nameFault } = props
  const [tooLarge, setTooLarge] = useState<string>()
  const fault = tooLarge ?? props.fault
  const input = useRef<HTMLInputElement>(null)
  const choose = async ([file]: readonly File[]) => {
    if (!file) return
    const isTooLarge = file.size > mostBytes
    setTooLarge(
      isTooLarge
        ? `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(mostBytes)} are read.`
        : undefined,
    )
    if (isTooLarge) return
    onChange({ fileName: file.name, text: await readFileText(file), isChosen: true })
  }
  return (
    <>
      <div className={css['given']}>
        <Button onClick={() => input.current?.click()}>
          {value.isChosen ? 'Choose another file' : 'Choose a file'}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={`${label}, as a file`}
          onChange={({ currentTarget }) => {
            void choose([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        <span role="status">
          {value.isChosen
            ? `${value.fileName}, ${formatBytes(value.text.length)}`
            : 'or paste its text below'}
        </span>
        {value.isChosen && (
          <Button kind="quiet" onClick={() => onChange(NO_FILE)}>
            Paste a text instead
          </Button>
        )}
      </div>
      {value.isChosen && fault !== undefined && (
        <p className={css['fault']} role="alert">
          {fault}
        </p>
      )}
      {!value.isChosen && (
        <>
          <Textarea
            label={label}
            description={description}
            required
            autosize
            minRows={4}
            maxRows={12}
            value={value.text}
            error={fault}
            onChange={({ currentTarget }) => onChange({ ...value, text: currentTarget.value })}
          />
          <TextInput
            label="File name"
            placeholder={placeholder}
            required
            value={value.fileName}
            error={nameFault}
            onChange={({ currentTarget }) => onChange({ ...value, fileName: currentTarget.value })}
          />
        </>
      )}
    </>
  )
}

/** Bytes that are no text, as openssl writes signatures, become Base64. */
async function readFileText(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isText = bytes.every((byte) => byte === 9 || byte === 10 || byte === 13 || byte >= 32)
  try {
    if (isText) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // It has bytes that UTF-8 has not.
  }
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}
