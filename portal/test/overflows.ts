import type { Page } from 'playwright-core'

/**
 * What is wider than the screen and neither scrolls by itself (a strip of chips, tabs) nor ends in an ellipsis; words
 * that reach over the edge of their button; text in a column of single letters; tables that are read only by moving them
 * sideways, also in what is folded; tags that are cut in the middle; the menu of a list in a line of its own.
 */
export function overflowsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const folded = [
      ...document.querySelectorAll<HTMLDetailsElement>('#page details:not([open]):has(table)'),
    ]
    for (const details of folded) details.open = true
    const room = document.documentElement.clientWidth
    const whole = document.documentElement.scrollWidth
    const isKept = (element: Element): boolean => {
      const { overflowX, textOverflow } = getComputedStyle(element)
      if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return true
      return element.parentElement !== null && isKept(element.parentElement)
    }
    const cut = [...document.querySelectorAll('#page *')].filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      return width > 1 && right > room + 1 && element.checkVisibility() && !isKept(element)
    })
    const first = cut.filter(
      (element) => !cut.some((one) => one !== element && one.contains(element)),
    )
    const isText = (element: Element) =>
      [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === 3 && (textContent ?? '').trim().length > 8,
      )
    const buttons = [...document.querySelectorAll('button, a')].filter((element) => {
      const { clientWidth, scrollWidth } = element
      return (
        clientWidth > 1 &&
        scrollWidth > clientWidth + 1 &&
        element.checkVisibility() &&
        !isKept(element)
      )
    })
    const squeezed = [...document.querySelectorAll('#page *')].filter((element) => {
      const { width, height } = element.getBoundingClientRect()
      return width > 1 && width < 32 && height > 60 && isText(element)
    })
    const moved = [...document.querySelectorAll('#page table')].filter((table) => {
      if (!table.checkVisibility()) return false
      for (let frame = table.parentElement; frame; frame = frame.parentElement)
        if (/auto|scroll/.test(getComputedStyle(frame).overflowX))
          return frame.scrollWidth > frame.clientWidth + 1
      return false
    })
    const halved = [...document.querySelectorAll('#page [class*=_tag_]')].filter((tag) => {
      const { left, right, width } = tag.getBoundingClientRect()
      const isInLine = !/flex|grid/.test(getComputedStyle(tag.parentElement ?? tag).display)
      for (let frame = tag.parentElement; frame; frame = frame.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(frame)
        if (overflowX !== 'hidden') continue
        const edge = frame.getBoundingClientRect().right
        // Dots take the place of what has no room in a line.
        if (isInLine && textOverflow === 'ellipsis') return false
        return width > 0 && left < edge && right > edge + 1 && tag.checkVisibility()
      }
      return false
    })
    const lonely = [...document.querySelectorAll('#page header > [class*=_menu_]')].filter(
      (menu) => {
        const { top, bottom, height } = menu.getBoundingClientRect()
        const beside = [...(menu.parentElement?.children ?? [])].filter((one) => {
          const other = one.getBoundingClientRect()
          return one !== menu && other.height > 0 && other.top < bottom && other.bottom > top
        })
        return height > 0 && beside.length === 0
      },
    )
    const say = (elements: Element[], fault: string) =>
      elements.map(
        ({ tagName, textContent }) => `${tagName} “${textContent.slice(0, 40)}” ${fault}`,
      )
    const faults = [
      ...say(buttons, 'is wider than its frame'),
      ...say(squeezed, 'has a letter a line'),
      ...say(halved, 'is a tag that is cut in the middle'),
      ...say(lonely, 'stands in a line of its own'),
      ...say(moved, 'is moved sideways to be read'),
      ...(whole > room ? [`the page is ${whole} wide`] : []),
      ...say(first, 'is cut'),
    ]
    for (const details of folded) details.open = false
    return faults
  })
}
