/** Where to go after signing in: a path of ours, whatever the address said. */
export function choosePath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted)) return '/'
  const url = URL.parse(wanted, 'http://own.invalid')
  return url?.origin === 'http://own.invalid' ? url.pathname + url.search + url.hash : '/'
}
