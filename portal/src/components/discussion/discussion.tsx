/** Who looks after a vulnerability, and what colleagues say about it: loaded when it is shown. */
import { lazy, Suspense } from 'react'
import { Loading } from '../states.tsx'

const Comments = lazy(() => import('./comments.tsx'))

export function Discussion({ cveId }: { cveId: string }) {
  return (
    <Suspense fallback={<Loading rows={2} />}>
      <Comments cveId={cveId} />
    </Suspense>
  )
}
