import type { Page } from 'playwright-core'

/** Links that say what the page is about. */
const CONTENT = ['You are here', 'What nobody sees']

/**
 * What a sheet of paper lacks: who printed it, the rest of a part that scrolls on a screen, and rows of a list. The frame must not
 * be on it. The page is shown on a screen afterwards.
 */
export async function faultsOnPaper(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' })
  const printer = page.getByText(/printed by .* on /).first()
  const isNamed = await printer.waitFor({ timeout: 15_000 }).then(
    () => true,
    () => false,
  )
  const faults = await listPrintFaults(page)
  await page.emulateMedia({ media: null })
  return [...(isNamed ? [] : ['names no printer']), ...faults]
}

function listPrintFaults(page: Page): Promise<string[]> {
  return page.evaluate((content) => {
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
    const nameOf = (element: Element) =>
      `${element.tagName} “${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40)}”`
    const frame = [...document.querySelectorAll('nav, [role=dialog]')].filter(
      (one) => isShown(one) && !content.includes(one.getAttribute('aria-label') ?? ''),
    )
    const cut = [...document.querySelectorAll('#page *')].filter((element) => {
      const { overflowY, textOverflow } = getComputedStyle(element)
      const isClipped = overflowY !== 'visible' && textOverflow !== 'ellipsis'
      const { clientHeight, scrollHeight } = element
      return isClipped && clientHeight > 1 && scrollHeight > clientHeight + 4 && isShown(element)
    })
    const lists = [...document.querySelectorAll('ul, ol, [role=rowgroup]')].flatMap((list) => {
      const size = Number(
        list.querySelector(':scope > [aria-setsize]')?.getAttribute('aria-setsize'),
      )
      const rows = list.querySelectorAll(':scope > [aria-setsize]').length
      return rows > 0 && rows < size ? [`${nameOf(list)} has ${rows} of ${size} rows`] : []
    })
    return [
      ...frame.map((element) => `${nameOf(element)} of the frame is on paper`),
      ...cut.map((element) => `${nameOf(element)} is cut`),
      ...lists,
    ]
  }, CONTENT)
}
