/** Long lists that somebody skims: rows that nobody can read yet are not drawn, so that no frame is late. */
import type { Virtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'

/** The share of what is in sight: whoever scrolls further from one frame to the next reads nothing. */
const FAR = 0.3
/** One far step is a jump to a row, which is read at once. */
const STEPS = 2

/** Whether somebody skims a list: from far steps on until the scrolling ends. Its virtualizer tells it by `onChange`. */
export function useSkimming() {
  const [isSkimming, setSkimming] = useState(false)
  const last = useRef({ offset: 0, steps: 0 })
  const onChange = (list: Virtualizer<HTMLElement, Element>) => {
    const offset = list.scrollOffset ?? 0
    const isFar = Math.abs(offset - last.current.offset) > FAR * (list.scrollRect?.height ?? 0)
    const steps = isFar ? last.current.steps + 1 : last.current.steps
    last.current = { offset, steps: list.isScrolling ? steps : 0 }
    setSkimming(list.isScrolling && steps >= STEPS)
  }
  return { isSkimming, onChange }
}
