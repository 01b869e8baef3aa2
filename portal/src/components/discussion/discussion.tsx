import { AssigneeChoice } from './assignee.tsx'
import { Comments } from './comments.tsx'

/** Who looks after a vulnerability, and what colleagues say about it. */
export default function Discussion({ cveId }: { cveId: string }) {
  return (
    <>
      <AssigneeChoice cveId={cveId} />
      <Comments cveId={cveId} />
    </>
  )
}
