/**
 * The architecture IA-32: stubs, slots and routines that run in 32-bit targets (docs/live.md).
 *
 * <p>32-bit code has no operands relative to the instruction pointer, so the code of slots contains
 * the address of its area. Exceptions need no function tables: they follow the list of
 * registrations in the thread environment block and never read return addresses. Slots of frames
 * that are left that way are found by the addresses of their return addresses.
 */
@NullMarked
package io.ntrail.live.code.ia32;

import org.jspecify.annotations.NullMarked;
