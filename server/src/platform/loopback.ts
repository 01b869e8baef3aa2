/** Whether connections to this host do not leave the machine. Takes the host of a URL, also `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replaceAll(/^\[|\]$/g, '').toLowerCase()
  return /^(?:localhost|.+\.localhost|::1|127\.\d+\.\d+\.\d+)$/.test(name)
}
