/** What the demo proposes to try. What one has seen and whether one is done with it is kept in the browser, for each person. */
import { useLocalStorage } from '@mantine/hooks'
import { IconCheck, IconChevronRight } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'
import css from './tour.module.css'

interface TourProgress {
  isDismissed: boolean
  seen: readonly string[]
}

const NEW: TourProgress = { isDismissed: false, seen: [] }

export default function Tour() {
  const workspaceId = useWorkspaceId()
  const { history } = useRouter()
  const { data: me } = useSuspenseQuery(meQuery)
  const [kept, keep] = useLocalStorage<TourProgress>({
    key: `plimsoll.tour.${me.id}`,
    defaultValue: NEW,
    getInitialValueInEffect: false,
  })
  const steps = me.tour.filter(({ path }) => path.startsWith(`/w/${workspaceId}/`))
  if (steps.length === 0 || kept.isDismissed) return null
  const left = steps.filter(({ title }) => !kept.seen.includes(title)).length
  return (
    <details className={css['tour']} data-paper="none">
      <summary>Try it · {left === 0 ? 'all seen' : `${formatCountOf(left, 'thing')} left`}</summary>
      <div className={css['panel']}>
        <ol className={css['steps']}>
          {steps.map(({ title, text, path }, index) => (
            <li key={title}>
              <a
                href={path}
                onClick={(event) => {
                  keep({ ...kept, seen: [...new Set([...kept.seen, title])] })
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return
                  event.preventDefault()
                  history.push(path)
                }}
              >
                <span className={css['number']}>
                  {kept.seen.includes(title) ? (
                    <IconCheck size={14} role="img" aria-label="seen" />
                  ) : (
                    index + 1
                  )}
                </span>
                <span>
                  <strong>{title}</strong>
                  <span className={css['text']}>{text}</span>
                </span>
                <IconChevronRight size={16} aria-hidden="true" />
              </a>
            </li>
          ))}
        </ol>
        <Button size="small" kind="quiet" onClick={() => keep({ ...kept, isDismissed: true })}>
          Close the tour
        </Button>
      </div>
    </details>
  )
}
