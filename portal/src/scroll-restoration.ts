/** Not while the address changes within a page: where that scrolls to by itself, as to the row that was chosen, is where one is. */
export function createScrollRestoration() {
  let shown = ''
  return ({ location: { pathname, hash } }: { location: { pathname: string; hash: string } }) => {
    const isOther = pathname !== shown
    shown = pathname
    // Else the part that is named would not be shown.
    return isOther || hash !== ''
  }
}
