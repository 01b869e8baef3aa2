import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'

/** Within a workspace, so the menu is there. */
export function NoPage() {
  return (
    <>
      <TopBar title="No such page" />
      <Page>
        <Empty title="Nothing has this address">Check it, or go on from the menu.</Empty>
      </Page>
    </>
  )
}
