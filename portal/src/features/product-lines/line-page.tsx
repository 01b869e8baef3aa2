/** One product line, or a new one. */
import type { ProductLine, ProductLineList } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { NoAdvice } from '../../components/cases/law-mark.tsx'
import { productLineQuery, productLinesQuery } from '../../components/cases/queries.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { EvidencePanel } from './evidence-panel.tsx'
import { ProductLineForm } from './product-line-form.tsx'
import { QuarterPanel } from './quarter-panel.tsx'

const route = getRouteApi('/w/$workspaceId/product-lines/$productLineId')

export function ProductLinePage() {
  const { productLineId } = route.useParams()
  const query = useQuery(productLinesQuery(useWorkspaceId()))
  const error = findBlockingError(query)
  const line = query.data?.productLines.find(({ id }) => id === productLineId)
  const title = productLineId === 'new' ? 'New product line' : (line?.name ?? 'Product line')
  return (
    <>
      <TopBar
        title={title}
        {...(line && { subject: `product-line:${line.id}` })}
        trail={[<AllLines key="lines">Product lines</AllLines>]}
      />
      <Page isNarrowColumn>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!query.data && !error && <Loading />}
        {query.data && <Content key={productLineId} line={line} all={query.data} />}
        <NoAdvice />
      </Page>
    </>
  )
}

function AllLines({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/product-lines" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

interface ContentProps {
  line: ProductLine | undefined
  all: ProductLineList
}

function Content({ line, all }: ContentProps) {
  const workspaceId = useWorkspaceId()
  const { productLineId } = route.useParams()
  const { firmware } = route.useSearch()
  const mayWrite = useMay('Cases: write')
  const navigate = useNavigate()
  const leave = () => navigate({ to: '/w/$workspaceId/product-lines', params: { workspaceId } })
  if (!line && productLineId !== 'new')
    return (
      <Empty title="There is no such product line" action={<AllLines>All product lines</AllLines>}>
        It was deleted, or never was.
      </Empty>
    )
  if (!mayWrite && !line) return <Empty title="Your role may not make product lines" />
  return (
    <>
      <ReadLine
        line={line}
        firmwares={[...(line?.firmwares ?? []), ...all.firmwaresWithoutLine]}
        first={all.firmwaresWithoutLine.find(({ id }) => id === firmware)}
        knownManufacturers={[...new Set(all.productLines.map(({ manufacturer }) => manufacturer))]}
        onSaved={leave}
        onLeave={() => void leave()}
      />
      {line && <EvidencePanel line={line} />}
      {line && <QuarterPanel line={line} />}
      {line && mayWrite && <Delete line={line} onDeleted={() => void leave()} />}
    </>
  )
}

/** A line of the list has no entity tag: what is to be changed is read at its own address. */
function ReadLine({
  line,
  ...props
}: Omit<Parameters<typeof ProductLineForm>[0], 'line'> & { line: ProductLine | undefined }) {
  const asked = productLineQuery(useWorkspaceId(), line?.id ?? '')
  const query = useQuery({ ...asked, enabled: line !== undefined })
  const error = findBlockingError(query)
  if (!line) return <ProductLineForm line={undefined} {...props} />
  if (error) return <Failure error={error} onRetry={() => void query.refetch()} />
  return query.data ? <ProductLineForm line={query.data} {...props} /> : <Loading rows={8} />
}

function Delete({ line, onDeleted }: { line: ProductLine; onDeleted: () => void }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const act = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/product-lines/{productLineId}', {
        params: { workspaceId, productLineId: line.id },
      }),
    onSuccess: async () => {
      onDeleted()
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
    },
  })
  return (
    <div>
      <ConfirmedButton
        title={`Delete ${line.name}?`}
        what={
          <p>
            What was said of it is deleted; the audit log keeps it. Its firmware stays, in no line.
            A line that is in a case cannot be deleted.
          </p>
        }
        verb="Delete product line"
        act={act}
      >
        Delete product line…
      </ConfirmedButton>
    </div>
  )
}
