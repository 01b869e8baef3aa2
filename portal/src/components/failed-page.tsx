import { Page } from './page.tsx'
import { Failure } from './states.tsx'
import { TopBar } from './top-bar.tsx'

interface FailedPageProps {
  /** What kind of page it is, as its name is not known: "Deployment". */
  title: string
  error: Error
  onRetry: () => void
}

/** A page whose subject is not there: one can go on from it to every other page. */
export function FailedPage({ title, error, onRetry }: FailedPageProps) {
  return (
    <>
      <TopBar title={title} />
      <Page>
        <Failure error={error} onRetry={onRetry} />
      </Page>
    </>
  )
}
