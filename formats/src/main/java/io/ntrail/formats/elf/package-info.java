/**
 * ELF programs and libraries: what of them is mapped where, and the names in their symbol tables.
 * Enough to follow code of Linux; nothing is linked or relocated.
 *
 * <p>A file begins with a header that tells whether it is for 32 or 64 bits; then program headers
 * tell which bytes are mapped at which addresses, section headers which bytes are symbol tables and
 * their names. Addresses are those that the linker gave; a position-independent file is moved as a
 * whole.
 *
 * <p>Source: System V Application Binary Interface, chapters "Object Files" and "Program Loading
 * and Dynamic Linking".
 */
@NullMarked
package io.ntrail.formats.elf;

import org.jspecify.annotations.NullMarked;
