/** The notice of the last act: what it did, and the way back for ten seconds. */
import { useEffect, useState } from 'react'
import { type Progress, type SentAct, useActs } from '../../components/acts.ts'
import { Button } from '../../components/button.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import css from './notices.module.css'

const SHOWN_MS = 10_000

export function Notices() {
  const { list } = useActs()
  const newest = list.toSorted((a, b) => b.change - a.change)[0]
  return (
    <div role="status" className={css['place']} data-paper="none">
      {newest && <Notice key={newest.change} act={newest} />}
    </div>
  )
}

function Notice({ act }: { act: SentAct }) {
  const { list, undo, retry } = useActs()
  const isBusy = act.state === 'sending' || act.state === 'undoing'
  const ways: Partial<Record<SentAct['state'], (act: SentAct) => void>> = {
    failed: retry,
    notUndone: undo,
  }
  const tryAgain = ways[act.state]
  const { isOver, hover } = useTimeUp(isBusy || tryAgain ? undefined : SHOWN_MS)
  // What was taken back leads on to what was done before it, also while it is on its way.
  const undoable = list.findLast(isUndoable)
  if (isOver) return null
  return (
    <div className={css['notice']} data-notice={act.state} {...hover}>
      <span>
        {describeAct(act)}
        {isBusy && <TimePassed progress={act.progress} />}
      </span>
      {tryAgain && (
        <Button size="small" onClick={() => tryAgain(act)}>
          Try again
        </Button>
      )}
      {undoable && <UndoButton act={undoable} isOther={undoable !== act} onUndo={undo} />}
    </div>
  )
}

/** A decision can be taken back before it is answered: that it can be is known before. */
function isUndoable({ state, undo, isDecision }: SentAct): boolean {
  return state === 'sending' ? isDecision === true : state === 'done' && undo !== undefined
}

const LONG_MS = 2_000

/**
 * Of what takes long, so that nobody waits for it: the notice stands on each page, and says when it is done. What the service does
 * goes on when the portal is closed.
 */
function TimePassed({ progress }: Pick<SentAct, 'progress'>) {
  const [passedMs, setPassedMs] = useState(0)
  useEffect(() => {
    const begin = Date.now()
    const timer = setInterval(() => setPassedMs(Date.now() - begin), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (progress) return <HowFar progress={progress} />
  if (passedMs < LONG_MS) return null
  return (
    <>
      {' Go on with something else: this says when it is done. '}
      <small aria-hidden="true">{Math.round(passedMs / 1_000)} s</small>
    </>
  )
}

/** Screen readers hear that it goes on, not each number. */
function HowFar({ progress: { done, of } }: { progress: Progress }) {
  return (
    <>
      {' It goes on when this page is closed. '}
      <span aria-hidden="true" className={css['far']}>
        <progress value={done} max={of} />
        <small className="numbers">
          {formatCount(done)} of {formatCount(of)}
        </small>
      </span>
    </>
  )
}

interface UndoButtonProps {
  act: SentAct
  /** Whether it came before the act that the notice speaks of. */
  isOther: boolean
  onUndo: (act: SentAct) => void
}

function UndoButton({ act, isOther, onUndo }: UndoButtonProps) {
  useKeys([['z', () => onUndo(act)]])
  return (
    <Button size="small" onClick={() => onUndo(act)}>
      Undo{isOther && ` ${act.text}, too`} <kbd>z</kbd>
    </Button>
  )
}

/** Tells when the time of a notice is over. The time stands still while the pointer or the focus is on the notice. */
function useTimeUp(afterMs: number | undefined) {
  const [isOver, setOver] = useState(false)
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (afterMs === undefined || isHeld) return undefined
    const timer = setTimeout(() => setOver(true), afterMs)
    return () => clearTimeout(timer)
  }, [afterMs, isHeld])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  const hover = {
    onMouseEnter: hold,
    onMouseLeave: release,
    onFocus: hold,
    onBlur: release,
  }
  return { isOver, hover }
}

function describeAct({ text, state, error, rest }: SentAct): string {
  switch (state) {
    case 'sending':
      return `${text} …`
    case 'done':
      return text
    case 'undoing':
      return `Taking back: ${text} …`
    case 'undone':
      return rest === undefined ? `Taken back: ${text}` : `Not all taken back: ${text}. ${rest}`
    case 'failed':
      return `Not done: ${text}. ${describeFailure(error)}`
    case 'notUndone':
      return `Not taken back: ${text}. ${describeFailure(error)}`
  }
}
