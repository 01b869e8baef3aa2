/* Signals as faults. On hardware the vector table does this. */
#ifndef PORT_POSIX_CRASH_H
#define PORT_POSIX_CRASH_H

/* Call it first; stack_begin is an address in main's frame, up to which stacks are scanned. */
void port_watch_faults(const void *stack_begin);

#endif
