/** Who reads what a program prints may stop early, as in `plimsoll-admin status | head`: that ends no program by itself. */

/** @param onClosed what a program does then that has no other work */
export function ignoreClosedOutput(onClosed: () => void = () => undefined): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      onClosed()
    })
}
