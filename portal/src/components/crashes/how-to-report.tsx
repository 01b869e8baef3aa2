/** Where no crash is known: that may mean that devices do not tell them, so it says how they do. */
export function HowToReport() {
  return (
    <>
      A device that crashes tells it after its restart: reason, program counter, return addresses.
      That takes a client that does so, so no crash here does not mean that none happened.{' '}
      <a href="/docs/guide/crashes.html#report-a-crash">How a device reports its first one</a>
    </>
  )
}
