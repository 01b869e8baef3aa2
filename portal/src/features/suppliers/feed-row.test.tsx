import type { SupplierFeed } from '@plimsoll/api-client'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { showInWorkspace } from '../../../test/components.tsx'
import { FeedRow } from './feed-row.tsx'

const FEED: SupplierFeed = {
  id: 'feed',
  name: 'Example Silicon',
  url: 'https://psirt.example.com/',
  state: 'Current',
  standing: 'Read to its end 3 hours ago: 118 documents, 2 could not be used.',
  isBeingRead: false,
  nextReadAt: '2026-08-22T12:00:00.000Z',
  checkedAt: '2026-08-22T09:00:00.000Z',
  completedAt: '2026-08-22T09:00:00.000Z',
  error: null,
  notice: null,
  documents: { listed: 120, read: 118, refused: 2, withdrawn: 1, notFetched: 0 },
  effects: {
    statementCount: 40,
    firmwareVersionCount: 3,
    decidedCount: 7,
    affectedWithoutFindingCount: 1,
  },
  createdAt: '2026-08-01T09:00:00.000Z',
  updatedAt: '2026-08-01T09:00:00.000Z',
}

const showRow = (feed: Partial<SupplierFeed>, mayWrite = true) =>
  showInWorkspace(
    <ul>
      <FeedRow feed={{ ...FEED, ...feed }} mayWrite={mayWrite} />
    </ul>,
  )

it('says how far the supplier is read, what that decides, and what makes no finding', async () => {
  await showRow({})

  expect(screen.getByText(FEED.standing)).toBeTruthy()
  expect(screen.getByText(/40 statements about 3 firmware versions/).textContent).toContain(
    'they decide 7 findings',
  )
  expect(screen.getByRole('link', { name: '1 statement' }).getAttribute('href')).toContain(
    'show=affected',
  )
})

it('says that it fails and why, beside what was read before', async () => {
  await showRow({ state: 'Stale', error: 'The list answered 503.' })

  expect(screen.getByText('Stale, failing')).toBeTruthy()
  expect(screen.getByText('The list answered 503.')).toBeTruthy()
})

it('lets nobody read it twice at once', async () => {
  await showRow({ isBeingRead: true })

  expect(screen.getByRole('button', { name: /^Read now/ })).toHaveProperty('disabled', true)
})

it('asks with true counts before it ends, and offers nothing to those who only read', async () => {
  const { person, unmount } = await showRow({})
  await person.click(screen.getByRole('button', { name: /^End the subscription/ }))

  const question = screen.getByRole('dialog')
  expect(question.textContent).toContain('118 documents with 40 statements count no more.')
  expect(question.textContent).toContain('7 findings that they decided stay so.')
  unmount()

  await showRow({}, false)
  expect(screen.queryByRole('button')).toBeNull()
})
