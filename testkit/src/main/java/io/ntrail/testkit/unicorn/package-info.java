/**
 * A processor that runs x86 code without executing it on this machine's: Unicorn, through a small C
 * program that is compiled when a test asks for it and spoken to over pipes.
 *
 * <p>{@link io.ntrail.testkit.unicorn.UnicornMachine} has memory and registers, runs code up to an
 * address or for a number of instructions, and tells of each instruction what the test asked for:
 * address, registers, writes of memory.
 */
@NullMarked
package io.ntrail.testkit.unicorn;

import org.jspecify.annotations.NullMarked;
