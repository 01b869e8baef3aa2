/** A place for one file, which people drop there or choose. */
import { type ReactNode, useState } from 'react'

interface FileDropProps {
  label: string
  css: Readonly<Record<string, string | undefined>>
  onFile: (file: File) => void
  children: ReactNode
}

/** `css`: has the classes `drop`, and `over` while a file is held above it. */
export function FileDrop({ label, css, onFile, children }: FileDropProps) {
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList | null) => {
    const [file] = files ?? []
    if (file) onFile(file)
  }
  return (
    <label
      className={`${css['drop']} ${isOver ? css['over'] : ''}`}
      onDragOver={(event) => {
        // The page around may take files of another kind.
        event.stopPropagation()
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.stopPropagation()
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer.files)
      }}
    >
      {children}
      <input
        type="file"
        className="visually-hidden"
        aria-label={label}
        onChange={(event) => {
          take(event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}
