package io.ntrail.testkit.pe;

/**
 * One unwind code as a tool decoded it.
 *
 * @param offset the prologue offset it takes effect at
 * @param operation its name without the prefix, for example {@code PUSH_NONVOL}; objdump does not
 *     distinguish the near form of a save from the far one, so both are {@code SAVE_NONVOL} or
 *     {@code SAVE_XMM128}
 * @param register 0..15 in the order of the encoding, of whichever kind the operation saves
 * @param value bytes allocated, or the offset of what is saved, or whether an error code is there
 */
public record ToolCode(int offset, String operation, int register, long value) {}
