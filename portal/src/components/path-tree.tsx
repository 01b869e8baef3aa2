import css from './path-tree.module.css'

const STEP = 14
const DEEPEST = 12

/** How a component got in: the shortest path from the product to it, drawn as a tree. `paths` begin at the component. */
export function PathTree({ paths }: { paths: readonly (readonly string[])[] }) {
  const [first, ...more] = paths
  if (!first) return null
  return (
    <div className={css['paths']}>
      <ol>
        {first.toReversed().map((entry, index, all) => (
          <li key={`${entry} ${index}`} style={{ paddingLeft: Math.min(index, DEEPEST) * STEP }}>
            {index > 0 && <span aria-hidden="true">└ </span>}
            <code className={index === all.length - 1 ? css['here'] : undefined}>{entry}</code>
          </li>
        ))}
      </ol>
      {more.length > 0 && (
        <p className={css['note']}>
          and {more.length} more {more.length === 1 ? 'path' : 'paths'}
        </p>
      )}
    </div>
  )
}
