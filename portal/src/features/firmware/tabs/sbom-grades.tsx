import type { GradedElement, SbomGrade } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { findBlockingError } from '../../../components/blocking-error.ts'
import { Failure, Loading } from '../../../components/states.tsx'
import { Tag, type Tone } from '../../../components/tag.tsx'
import { useWorkspaceId } from '../../../session.ts'
import { sbomGradesQuery } from '../queries.ts'
import { describeCounts, describeGrade } from './grade-words.ts'
import css from './sbom-grades.module.css'

/** What BSI, NTIA and CISA ask of a document, and what it states of that. */
export function SbomGrades({ sbomId }: { sbomId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(sbomGradesQuery(workspaceId, sbomId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  if (data.grades === null)
    return (
      <p className={css['note']}>
        What it lacks is not known yet: it was read before this was looked at, and is read again in
        the background.
      </p>
    )
  return (
    <div className={css['grades']}>
      {data.grades.map((grade) => (
        <Grade key={grade.profile} grade={grade} />
      ))}
    </div>
  )
}

function Grade({ grade }: { grade: SbomGrade }) {
  const { title, elements, outside, outcome } = grade
  return (
    <details className={css['grade']}>
      <summary>
        <span className={css['title']}>{title}</span>{' '}
        <Tag tone={TONES[outcome]}>{outcome === 'met' ? 'met' : 'not met'}</Tag>{' '}
        <span className={css['note']}>{describeGrade(elements)}</span>
      </summary>
      <table className={css['elements']} aria-label={`What ${title} asks for`}>
        <thead>
          <tr>
            <th scope="col">Element</th>
            <th scope="col">Outcome</th>
            <th scope="col">First without it</th>
          </tr>
        </thead>
        <tbody>
          {elements.map((element) => (
            <Element key={element.id} element={element} />
          ))}
        </tbody>
      </table>
      <p className={css['note']}>No SBOM can show: {outside.map((one) => one.title).join('; ')}.</p>
    </details>
  )
}

const TONES: Record<SbomGrade['outcome'], Tone> = {
  met: 'ok',
  missing: 'danger',
  cannotSay: 'warn',
}

const OUTCOMES: Record<SbomGrade['outcome'], string> = {
  met: 'met',
  missing: 'missing',
  cannotSay: 'the format cannot say it',
}

const LEFT_OUT: Tone = 'muted'

const LEVELS: Record<GradedElement['level'], string> = {
  required: '',
  ifExists: 'where it exists',
  optional: 'optional',
}

function Element({ element }: { element: GradedElement }) {
  const { title, section, level, outcome, examples } = element
  // What may be left out is no fault of the document.
  const tone = level === 'required' || outcome === 'met' ? TONES[outcome] : LEFT_OUT
  return (
    <tr>
      <th scope="row">
        {title}
        <span className={css['note']}>
          {[LEVELS[level], section].filter((text) => text !== '').join(' · ')}
        </span>
      </th>
      <td>
        <Tag tone={tone}>{OUTCOMES[outcome]}</Tag> <span>{describeCounts(element)}</span>
      </td>
      <td className={css['examples']}>{examples.join(', ')}</td>
    </tr>
  )
}
