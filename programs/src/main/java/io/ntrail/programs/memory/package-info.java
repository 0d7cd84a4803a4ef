/**
 * Memory by address: the interface through which unwinders, disassembly and instruction flow read
 * code and data, whatever holds the bytes.
 *
 * <p>An address space answers for one instant. It never invents bytes: an address that was not
 * captured or is not mapped has no region, and reading it fails.
 */
@NullMarked
package io.ntrail.programs.memory;

import org.jspecify.annotations.NullMarked;
