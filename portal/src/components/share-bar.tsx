import css from './share-bar.module.css'

interface Share {
  key: string
  count: number
  /** Its colour. */
  className: string | undefined
  /** Begins another part: a gap stands before it. */
  isApart?: boolean
}

export interface ShareBarProps {
  /** The shares in words. */
  label: string
  shares: readonly Share[]
  isSmall?: boolean
}

/** How a whole is shared out, as one bar; what is not there is left out. */
export function ShareBar({ label, shares, isSmall = false }: ShareBarProps) {
  return (
    <div
      className={`${css['bar']} ${isSmall ? css['small'] : ''}`}
      role="img"
      aria-label={label}
      title={label}
    >
      {shares
        .filter(({ count }) => count > 0)
        .map(({ key, count, className, isApart }) => (
          <i
            key={key}
            className={`${className} ${isApart === true ? css['apart'] : ''}`}
            style={{ flexGrow: count }}
          />
        ))}
    </div>
  )
}
