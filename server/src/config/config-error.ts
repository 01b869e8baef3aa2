/** Settings with which nothing can begin. Its message is all that a person needs. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
