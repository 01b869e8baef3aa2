import type { ReactNode } from 'react'
import { ProductSign } from '../../components/mark.tsx'
import css from './signed-out-frame.module.css'

/** The frame of the pages before one is signed in. */
export function SignedOutFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={css['outside']}>
      <div className={css['brand']}>
        <ProductSign size={26} />
        <span>Plimsoll</span>
      </div>
      <section className={css['card']}>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  )
}
