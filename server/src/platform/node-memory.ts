/** State that a node keeps in memory only. It belongs to the context, so that two nodes in one process share none. */
export class NodeMemory {
  private readonly states = new Map<() => unknown, unknown>()

  /** The state that this function makes; it is made at the first call. */
  of<State>(make: () => State): State {
    if (!this.states.has(make)) this.states.set(make, make())
    return this.states.get(make) as State
  }
}
