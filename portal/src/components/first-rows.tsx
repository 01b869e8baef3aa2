import { useState } from 'react'
import { formatCount } from '../format/counts.ts'
import { Button } from './button.tsx'
import css from './card-table.module.css'
import { useIsPrinting } from './printing.ts'

const STEP = 200

/** The first rows of a list, as each costs the browser time; a button that says how many are left. Paper has all of them. */
export function useFirstRows<Row>(rows: readonly Row[], isWhole = false) {
  const [limit, setLimit] = useState(STEP)
  const isPrinting = useIsPrinting()
  const drawn = isWhole || isPrinting ? rows : rows.slice(0, limit)
  const left = rows.length - drawn.length
  const more = left > 0 && (
    <div className={css['more']}>
      <p>
        {formatCount(left)} of {formatCount(rows.length)} are not shown yet.
      </p>
      <Button onClick={() => setLimit(limit + STEP)}>
        Show {formatCount(Math.min(STEP, left))} more
      </Button>
    </div>
  )
  return { drawn, more }
}
