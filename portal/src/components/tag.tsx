import type { ReactNode } from 'react'
import css from './tag.module.css'

export type Tone = 'ok' | 'warn' | 'danger' | 'accent' | 'muted'

/** A small word on a light ground. */
export function Tag({ tone = 'muted', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${css['tag']} ${css[tone]}`}>{children}</span>
}

/** A dot and a word: a state among few. */
export function Dot({
  tone,
  isHollow = false,
  children,
}: {
  tone: Tone
  isHollow?: boolean
  children: ReactNode
}) {
  return (
    <span className={css['dot']}>
      <span
        className={`${css['point']} ${css[tone]} ${isHollow ? css['hollow'] : ''}`}
        aria-hidden="true"
      />
      {/* One item, so that words and times in it keep the space of a sentence. */}
      <span>{children}</span>
    </span>
  )
}
