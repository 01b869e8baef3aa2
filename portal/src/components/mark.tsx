/** The Plimsoll mark of a firmware version: the state of its release gate. Never without its word. */
import css from './mark.module.css'

export type MarkState = 'Clear' | 'ToDecide' | 'Overloaded' | 'Unknown'

export const MARK_WORDS: Record<MarkState, string> = {
  Clear: 'Clear',
  ToDecide: 'To decide',
  Overloaded: 'Overloaded',
  Unknown: 'Unknown',
}

/** As the service tells it. */
export interface MarkShown {
  state: MarkState
  sentence: string
  /** That its support is over or ends soon; the sentence ends with it. */
  supportNote?: string | undefined
}

interface MarkSignProps {
  state: MarkState
  size?: number
  /** The word stands beside it, and need not be said twice. */
  isBesideWord?: boolean
}

/** The sign; its word is read out, and shown under the pointer. */
export function MarkSign({ state, size = 20, isBesideWord = false }: MarkSignProps) {
  return (
    <svg
      className={`${css['sign']} ${css[state]}`}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      {...(isBesideWord ? { 'aria-hidden': true } : { role: 'img' })}
    >
      {!isBesideWord && <title>{MARK_WORDS[state]}</title>}
      <Disc state={state} />
    </svg>
  )
}

function Disc({ state }: { state: MarkState }) {
  switch (state) {
    case 'Clear':
      return (
        <>
          <circle cx="12" cy="12" r="8" />
          <path d="M0.5 10.2h23" />
        </>
      )
    case 'ToDecide':
      return (
        <>
          <circle cx="12" cy="12" r="8" />
          <path className={css['fill']} d="M4 12a8 8 0 0 0 16 0z" />
          <path d="M0.5 12h23" />
        </>
      )
    case 'Overloaded':
      return (
        <>
          <circle className={css['fill']} cx="12" cy="12" r="8.9" stroke="none" />
          <path d="M0.5 13.9h23" />
          <path className={css['cut']} d="M3.3 13.9h17.4" />
        </>
      )
    case 'Unknown':
      return (
        <>
          <circle cx="12" cy="12" r="8" strokeDasharray="3.3 2.9" />
          <path d="M0.5 12h23" strokeDasharray="3.3 2.9" />
        </>
      )
  }
}

/** Sign and sentence, whose first word is the state: "Overloaded: 2 known exploited". */
export function Mark({ mark, size }: { mark: MarkShown; size?: number }) {
  return (
    <span className={css['mark']}>
      <MarkSign state={mark.state} isBesideWord {...(size !== undefined && { size })} />
      <MarkSentence mark={mark} />
    </span>
  )
}

/** What is said of support stands first, as the end of a long sentence is cut off in lists. */
export function MarkSentence({ mark: { state, sentence, supportNote } }: { mark: MarkShown }) {
  const ofGate =
    supportNote === undefined ? sentence : sentence.slice(0, -`; ${supportNote}`.length)
  const [word = '', ...rest] = ofGate.split(': ')
  return (
    <span className={css['sentence']} title={sentence}>
      <strong className={css[state]}>{word}</strong>
      {supportNote !== undefined && (
        <>
          , <span className={css['support']}>{supportNote}</span>
        </>
      )}
      {rest.length > 0 && <span className={css['reason']}>: {rest.join(': ')}</span>}
    </span>
  )
}

/** The product's own sign. */
export function ProductSign({ size = 20 }: { size?: number }) {
  return (
    <svg
      className={`${css['sign']} ${css['product']}`}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="8" />
      <path d="M0.5 12h23" />
    </svg>
  )
}
