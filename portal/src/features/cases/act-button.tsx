/** Buttons of acts. One that this person may not use, or not yet, says why. */
import { useId } from 'react'
import { Button } from '../../components/button.tsx'
import { useMay } from '../../session.ts'
import { type CaseAct, WHO_MAY } from './act.ts'
import css from './cases.module.css'

export interface OfferedAct {
  act: CaseAct
  label: string
  /** For screen readers, where several buttons read the same. */
  name?: string
  isPrimary?: boolean
  /** Why it cannot be done yet. */
  blocked?: string
}

interface ActButtonsProps {
  acts: readonly OfferedAct[]
  onAct: (act: CaseAct) => void
  size?: 'small'
}

export function ActButtons({ acts, onAct, size }: ActButtonsProps) {
  const id = useId()
  const mayWrite = useMay('Cases: write')
  const mayDecide = useMay('Cases: decide')
  const judged = acts.map((offered) => {
    const may = offered.act.scope === 'Cases: decide' ? mayDecide : mayWrite
    return { ...offered, why: may ? offered.blocked : WHO_MAY[offered.act.scope] }
  })
  const whys = [...new Set(judged.flatMap(({ why }) => why ?? []))]
  return (
    <>
      <div className={css['acts']}>
        {judged.map(({ act, label, name, isPrimary = false, why }) => (
          <Button
            key={`${label} ${name ?? ''}`}
            kind={isPrimary ? 'primary' : 'plain'}
            {...(size && { size })}
            {...(name !== undefined && { 'aria-label': name })}
            {...(why !== undefined && { 'aria-describedby': id, title: why })}
            aria-haspopup="dialog"
            disabled={why !== undefined}
            onClick={() => onAct(act)}
          >
            {label}
          </Button>
        ))}
      </div>
      {whys.length > 0 && (
        <p id={id} className={css['note']}>
          {whys.join(' ')}
        </p>
      )}
    </>
  )
}
