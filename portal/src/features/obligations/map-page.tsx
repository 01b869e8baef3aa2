/** The law point by point: what Plimsoll has for it, how that stands here, and what stays with people. */
import type { Obligation, ObligationList } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { GoodPractice, Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Note } from './note.tsx'
import css from './obligations.module.css'
import { obligationsQuery } from './queries.ts'

export function ObligationsPage() {
  const query = useQuery(obligationsQuery(useWorkspaceId()))
  const error = findBlockingError(query)
  return (
    <>
      <TopBar title="Obligations" />
      <Page>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!query.data && !error && <Loading rows={8} />}
        {query.data && <Points list={query.data} />}
        <NoAdvice />
      </Page>
    </>
  )
}

function Points({ list: { obligations, computedAt } }: { list: ObligationList }) {
  const law = obligations.filter(({ basis }) => basis === 'Law')
  const others = obligations.filter(({ basis }) => basis === 'GoodPractice')
  return (
    <>
      <Panel
        title="What the law asks for"
        note={
          <>
            {formatCountOf(law.length, 'point')}, counted <Time at={computedAt} />
          </>
        }
      >
        <p className={css['lead']}>
          Counts say how things stand here, and not whether the law is complied with. Topics are
          words of ours: read the articles themselves.
        </p>
        <PointList points={law} />
      </Panel>
      <Panel title="Good practice" note="not law">
        <PointList points={others} />
      </Panel>
    </>
  )
}

const PointList = ({ points }: { points: readonly Obligation[] }) => (
  <ul className={css['points']}>
    {points.map((point) => (
      <li key={point.id} id={point.id}>
        <Point point={point} />
      </li>
    ))}
  </ul>
)

function Point({ point }: { point: Obligation }) {
  const { basis, article, topic, features, facts, people, guide } = point
  return (
    <article aria-label={topic} className={css['point']}>
      <header>
        <h3>{topic}</h3>
        {basis === 'Law' ? (
          <Law article={article} />
        ) : (
          <span>
            <GoodPractice /> {article}
          </span>
        )}
      </header>
      <div className={css['columns']}>
        <section>
          <h4>Here</h4>
          <ul>
            {facts.map((fact) => (
              <Fact key={fact.name} fact={fact} />
            ))}
          </ul>
          <p className={css['features']}>
            {features.length === 0 ? 'Plimsoll has nothing for it.' : features.join(' · ')}{' '}
            <a href={`/docs/guide/${guide}.html`} aria-label={`Guide: ${topic}`}>
              Guide
            </a>
          </p>
        </section>
        <section>
          <h4>Stays with people</h4>
          <p>{people}</p>
          <Note point={point} />
        </section>
      </div>
    </article>
  )
}

function Fact({ fact: { text, isKnown, page } }: { fact: Obligation['facts'][number] }) {
  const workspaceId = useWorkspaceId()
  return (
    <li className={isKnown ? undefined : css['unknown']}>
      {page === null ? (
        text
      ) : (
        <Link to={`/w/$workspaceId${page}`} params={{ workspaceId }}>
          {text}
        </Link>
      )}
    </li>
  )
}
